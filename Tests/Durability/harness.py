# SPDX-License-Identifier: Apache-2.0
"""What the tests of durability share: a service that keeps account of what it acknowledged, places to keep its data in, and
how a file of checks is run."""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("CS_TEST_BINARY") or str(ROOT / ".build/debug/cookiesync")
STORE = "/v1/tenants/acme/jars/{jar}/stores/native"


class Skip(Exception):
    pass


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def need_strace():
    if not shutil.which("strace"):
        raise Skip("needs strace")


class Service:
    """One process, perhaps below another program, and what it acknowledged."""

    def __init__(self, data, wrapper=(), settings=()):
        self.data, self.kept, self.doubtful = data, {}, {}
        command = [*wrapper, BINARY, "serve", "--port", "0", "--data-dir", data, "--log-format", "json", *settings]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.output = []
        for line in self.process.stdout:
            self.output.append(line)
            if b'"event":"listen"' in line:
                self.port = json.loads(line)["port"]
                break
        else:
            self.port = None
            self.process.wait()

    def call(self, method, path, body=None):
        answer, content = self.ask(method, path, body)
        return answer.status, content

    def ask(self, method, path, body=None):
        """The answer with its fields, and its body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer, content

    def put(self, jar, value):
        """Stores one cookie of a jar; answers the status."""
        status, _ = self.call("POST", STORE.format(jar=jar) + "/ingest",
                              {"url": "https://a.example/", "headers": [["Set-Cookie", f"v={value}"]]})
        if status == 200:
            self.kept[jar], self.doubtful[jar] = value, []
        elif status == 503:
            # It may be there whole, if its sync failed.
            self.doubtful.setdefault(jar, []).append(value)
        return status

    def delete(self, jar):
        status, _ = self.call("DELETE", f"/v1/tenants/acme/jars/{jar}")
        if status == 204:
            self.kept[jar] = None
        return status

    def ready(self):
        return self.call("GET", "/readyz")[0]

    def audit(self):
        for jar, value in self.kept.items():
            status, body = self.call("GET", STORE.format(jar=jar) + "/cookies")
            found = [cookie["value"] for cookie in json.loads(body)["cookies"]] if status == 200 else status
            allowed = [[] if value is None else [value], *([doubt] for doubt in self.doubtful.get(jar, []))]
            assert found in allowed, f"{jar}: {found} is not what was acknowledged"

    def stop(self, number=signal.SIGTERM):
        target = self.process.pid
        with contextlib.suppress(OSError):
            children = pathlib.Path(f"/proc/{target}/task/{target}/children").read_text().split()
            if children:
                target = int(children[0])
        with contextlib.suppress(ProcessLookupError):
            os.kill(target, number)
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        return code

    def restart(self, **arguments):
        kept, doubtful = self.kept, self.doubtful
        self.stop(signal.SIGKILL)
        again = Service(self.data, **arguments)
        again.kept, again.doubtful = kept, doubtful
        return again


def check_restarted(service):
    """What was acknowledged is there on a healthy disk, and the files are sound."""
    again = service.restart()
    again.audit()
    status, body = again.call("POST", "/v1/admin/verify")
    assert status == 200 and json.loads(body)["faults"] == [], body
    assert again.put("after", "1") == 200
    assert again.stop() == 0


@contextlib.contextmanager
def directory():
    path = tempfile.mkdtemp(prefix="failing-disks.")
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def tmpfs(size, inodes=None):
    need_root()
    with directory() as path:
        options = f"size={size}" + (f",nr_inodes={inodes}" if inodes else "")
        if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", path], capture_output=True).returncode:
            raise Skip("cannot mount")
        try:
            yield path
        finally:
            subprocess.run(["umount", "-l", path], check=True)


@contextlib.contextmanager
def ext4(mebibytes, *options):
    """A file system on a loop device, which becomes read-only at its first fault; `options` go to mkfs."""
    need_root()
    with directory() as path:
        image, mount = f"{path}/image", f"{path}/mount"
        os.mkdir(mount)
        with open(image, "wb") as file:
            file.truncate(mebibytes << 20)
        commands = (["mkfs.ext4", "-q", "-F", *options, image], ["mount", "-o", "loop,errors=remount-ro", image, mount])
        for command in commands:
            if subprocess.run(command, capture_output=True).returncode:
                raise Skip(f"cannot {command[0]}")
        try:
            yield mount
        finally:
            subprocess.run(["umount", "-l", mount], check=True)


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.05)


def strace(call, what):
    need_strace()
    return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:{what}"]


def run(checks):
    """Runs the checks named on the command line, or all; the status to exit with."""
    chosen = [check for check in checks if not sys.argv[1:] or check.__name__ in sys.argv[1:]]
    failed = 0
    for check in chosen:
        start = time.monotonic()
        try:
            check()
            result = "ok"
        except Skip as reason:
            result = f"skipped: {reason}"
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            result = f"FAILED: {type(error).__name__} {error} (line {error.__traceback__.tb_next.tb_lineno})"
        print(f"{check.__name__}: {result} ({time.monotonic() - start:.1f} s)", flush=True)
    return 1 if failed else 0
