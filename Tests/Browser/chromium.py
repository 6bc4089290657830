# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium, driven over the pipe of its debugging protocol.

Each `Page` has a browser context of its own: cookies of one are not seen by another. Every host name leads to this
machine, and any certificate will do.
"""

import fcntl
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

SECONDS = 60


class Chromium:
    """One browser process with a throw-away profile."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="cookiesync-browser.")
        to_browser, from_browser = _high_pipe(), _high_pipe()

        def connect():
            os.dup2(to_browser[0], 3)
            os.dup2(from_browser[1], 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
             "--ignore-certificate-errors", "--host-resolver-rules=MAP * 127.0.0.1", "--no-proxy-server",
             "--user-data-dir=" + self.profile, "about:blank"],
            preexec_fn=connect, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser[0])
        os.close(from_browser[1])
        self.output, self.input = to_browser[1], from_browser[0]
        self.numbers = itertools.count(1)
        self.buffer = b""
        self.events = []

    def call(self, method, session=None, **parameters):
        """Sends one command and answers its result; events that come in between are kept."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        deadline = time.monotonic() + SECONDS
        while True:
            answer = self._read(deadline)
            if answer.get("id") == number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, session, event):
        """Waits for an event of a page."""
        deadline = time.monotonic() + SECONDS
        while True:
            for number, seen in enumerate(self.events):
                if seen.get("method") == event and seen.get("sessionId") == session:
                    del self.events[number]
                    return seen["params"]
            self.events.append(self._read(deadline))

    def _read(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.input], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self.input, 1 << 16) if ready else b""
            if not data:
                raise SystemExit("Chromium does not answer" + (" any more" if ready else " in time"))
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.output)
        os.close(self.input)
        shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    """A tab with cookies of its own, and maybe a script that runs at the start of each of its documents."""

    def __init__(self, browser, script=None):
        self.browser = browser
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._call("Page.enable")
        if script is not None:
            self._call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def _call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def load(self, url):
        result = self._call("Page.navigate", url=url)
        if "errorText" in result:
            raise AssertionError(f"the page did not load: {result['errorText']}")
        self.browser.wait(self.session, "Page.loadEventFired")

    def evaluate(self, expression):
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']['text']}")
        return answer["result"].get("value")

    def cookies(self):
        """All cookies of the page's context, with their attributes."""
        return self.browser.call("Storage.getCookies", browserContextId=self.context)["cookies"]

    def close(self):
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)


def _high_pipe():
    """A pipe whose descriptors are not 3 or 4, where the browser looks for its own."""
    pipe = os.pipe()
    high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10) for descriptor in pipe]
    for descriptor in pipe:
        os.close(descriptor)
    return high
