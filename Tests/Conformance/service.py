# SPDX-License-Identifier: Apache-2.0
"""The real binary under a settable clock: start it, move its time, talk to it, stop it.

The clock is libfaketime's: a file holds the wall-clock time, the monotonic clock is left alone. The product itself
has no test hook.
"""

import datetime
import glob
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def binary():
    """The binary under test: CS_TEST_BINARY, or the newest build of this checkout."""
    named = os.environ.get("CS_TEST_BINARY")
    if named:
        return named
    built = [ROOT / ".build" / kind / "cookiesync" for kind in ("debug", "release")]
    built = [path for path in built if path.exists()]
    if not built:
        raise SystemExit("no binary: run 'swift build' first, or set CS_TEST_BINARY")
    return str(max(built, key=lambda path: path.stat().st_mtime))


def faketime_library():
    found = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    if not found:
        raise SystemExit("libfaketime is missing: install Debian's package faketime")
    return found[0]


def rfc3339(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


class Service:
    """One process on a free port with a data directory of its own."""

    def __init__(self, settings=()):
        self.directory = tempfile.mkdtemp(prefix="cookiesync-test.")
        self.clock_file = os.path.join(self.directory, "clock")
        self.set_clock(datetime.datetime.now(datetime.timezone.utc))
        self.settings = list(settings)
        self.log = open(os.path.join(self.directory, "log"), "ab")
        self.start()

    def start(self):
        # Settings of the caller's environment must not reach the process under test.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("COOKIESYNC_")}
        environment = dict(
            inherited, LD_PRELOAD=faketime_library(), FAKETIME_TIMESTAMP_FILE=self.clock_file,
            FAKETIME_NO_CACHE="1", FAKETIME_DONT_FAKE_MONOTONIC="1", TZ="UTC")
        self.port = free_port()
        self.process = subprocess.Popen(
            [binary(), "serve", "--port", str(self.port), "--data-dir",
             os.path.join(self.directory, "data"), *self.settings],
            env=environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        deadline = time.monotonic() + 20
        while True:
            try:
                if self.call("GET", "/readyz")[0] == 200:
                    return
            except OSError:
                self.connection.close()
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("the service did not start: " + self.log_text()[-2000:])
            time.sleep(0.02)

    def log_text(self):
        with open(os.path.join(self.directory, "log"), encoding="utf-8", errors="replace") as log:
            return log.read()

    def set_clock(self, moment):
        """Sets the wall clock (an aware datetime); it stands still until set again."""
        self.now = moment
        text = moment.astimezone(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")
        with open(self.clock_file + ".new", "w", encoding="ascii") as clock:
            clock.write(text + "\n")
        os.replace(self.clock_file + ".new", self.clock_file)

    def advance(self, seconds):
        self.set_clock(self.now + datetime.timedelta(seconds=seconds))

    def call(self, method, target, body=None, headers=None):
        """One request; answers (status, headers, body bytes)."""
        headers = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        try:
            self.connection.request(method, target, body=body, headers=headers)
            answer = self.connection.getresponse()
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self.connection.close()  # an idle keep-alive connection that the server has closed
            self.connection.request(method, target, body=body, headers=headers)
            answer = self.connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()

    def stop(self):
        self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=20)
        self.log.close()
        shutil.rmtree(self.directory)
        return code


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
