#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`kill -9` in the middle of turning encryption on, of a change of keys, and of a restore, under the real binary.

    interrupted.py [POINTS]        default: 20 for each of the three

The process is killed by strace at its nth write to a file. Each time, whatever is there has to be served, with reads and
writes, and the next run has to end what this one began: every value as it was, none of them in any file as it is, and
the key before needed by nothing any more. Half a restore has to be refused. Says so and does nothing where there is no
strace.
"""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("CS_TEST_BINARY") or str(ROOT / ".build/debug/cookiesync")
STORE = "/v1/tenants/{}/jars/{}/stores/native"
CANARY = "c4n4ry"
JARS = [(f"tenant-{number % 3}", f"jar-{number}") for number in range(12)]
COOKIES = 60
# So that the nth write of a thread is the nth of the run.
os.environ["COOKIESYNC_WRITER_THREADS"] = "1"


class Service:
    """A service on a data directory, for as long as the block runs."""

    def __init__(self, data, *settings):
        self.process = subprocess.Popen(
            [BINARY, "serve", "--port", "0", "--data-dir", data, "--log-format", "json", *settings],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def __enter__(self):
        for line in self.process.stdout:
            if b'"event":"listen"' in line:
                self.port = json.loads(line)["port"]
                return self
        raise AssertionError("the service did not start")

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.stdout.read()
        assert self.process.wait(timeout=30) == 0

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        content = json.loads(answer.read())
        connection.close()
        assert answer.status == 200, f"{method} {path}: {answer.status}"
        return content

    def put(self, tenant, jar, values):
        self.call("PUT", STORE.format(tenant, jar) + "/cookies", [
            {"name": name, "value": value, "domain": "www.example.com"} for name, value in values.items()])

    def values(self):
        """Every value, by tenant, jar and name."""
        return {(*place, cookie["name"]): cookie["value"] for place in JARS
                for cookie in self.call("GET", STORE.format(*place) + "/cookies?limit=500")["cookies"]}


def run(*arguments, kill_at=None, seconds=None):
    """One run of the command line; kills it at its nth write, and answers the exit status, or None after that time."""
    wrapper = []
    if kill_at:
        wrapper = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject=pwrite64:signal=KILL:when={kill_at}"]
    try:
        return subprocess.run([*wrapper, BINARY, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=seconds).returncode
    except subprocess.TimeoutExpired:
        return None


def count_writes(*arguments):
    """How often the thread that writes most does so in that run."""
    with tempfile.NamedTemporaryFile() as trace:
        command = ["strace", "-f", "-qq", "-o", trace.name, "-e", "trace=pwrite64", BINARY, *arguments]
        assert subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0
        threads = re.findall(rb"^(\d+) +pwrite64", trace.read(), re.MULTILINE)
    return max(threads.count(thread) for thread in set(threads))


def restore(work, data, settings, expected, points):
    """R43: a restore that was cut short leaves nothing that starts."""
    assert run("backup", "whole", "--data-dir", data, "--backup-dir", work, *settings) == 0
    target = work / "restored"
    arguments = ["restore", work / "whole", "--data-dir", target, *settings]
    writes = count_writes(*arguments)
    killed = 0
    for point in range(points):
        shutil.rmtree(target)
        at = 1 + point * writes // points
        killed += run(*arguments, kill_at=at) != 0
        if run("serve", "--data-dir", target, "--port", "0", *settings, seconds=0.5) == 78:
            assert run(*arguments) == 78, f"a restore, killed at write {at}: begun anew beside its remains"
            continue
        with Service(target, *settings) as service:
            assert service.values() == expected, f"a restore, killed at write {at}: half of it is served"
    assert killed > points // 2, f"only {killed} of {points} runs were killed"
    print(f"ok a restore: {killed} of {points} runs killed among {writes} writes")


def plain_files(data):
    return [path for path in pathlib.Path(data).rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]


class Story:
    """A change of a data directory that may be cut short anywhere."""

    def __init__(self, work, name, before, settings, expected):
        self.work, self.name, self.before, self.settings, self.expected = work, name, before, settings, expected

    def run(self, points):
        data = self.fresh()
        writes = count_writes("encrypt", "--data-dir", data, *self.settings)
        killed = 0
        for point in range(points):
            data = self.fresh()
            at = 1 + point * writes // points
            killed += run("encrypt", "--data-dir", data, *self.settings, kill_at=at) != 0
            self.check(data, f"{self.name}, killed at write {at} of {writes}")
        assert killed > points // 2, f"only {killed} of {points} runs were killed"
        print(f"ok {self.name}: {killed} of {points} runs killed among {writes} writes")

    def fresh(self):
        data = self.work / "data"
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(self.before, data)
        return data

    def check(self, data, what):
        expected = dict(self.expected)
        with Service(data, *self.settings) as service:
            assert service.values() == expected, f"{what}: what was there is not served"
            service.put(*JARS[0], {"between": CANARY + "between"})
            expected[(*JARS[0], "between")] = CANARY + "between"
        assert run("encrypt", "--data-dir", data, *self.settings) == 0, f"{what}: the next run does not end it"
        assert not plain_files(data), f"{what}: left {plain_files(data)}"
        key = self.settings[:2]
        assert run("verify", "--data-dir", data, *key) == 0, f"{what}: a value does not open with the key alone"
        with Service(data, *key) as service:
            assert service.values() == expected, f"{what}: a value is not what it was"
        if len(self.settings) > 2:
            assert run("verify", "--data-dir", data, "--key-file", self.settings[3]) == 78


def main():
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    if not shutil.which("strace"):
        print("skipped: needs strace")
        return
    work = pathlib.Path(tempfile.mkdtemp(prefix="cookiesync-sealing."))
    try:
        keys = [work / "first", work / "second"]
        for key in keys:
            assert run("create-key", "--data-dir", work / "none", "--key-file", key) == 0
        before = work / "plain"
        with Service(before) as service:
            for tenant, jar in JARS:
                for turn in range(2):
                    service.put(tenant, jar, {f"c{number}": f"{CANARY}{turn}{jar}{number}" for number in range(COOKIES)})
            expected = service.values()
        assert len(expected) == len(JARS) * COOKIES and plain_files(before)
        Story(work, "encryption turned on", before, ["--key-file", keys[0]], expected).run(points)
        sealed = work / "sealed"
        shutil.move(work / "data", sealed)
        expected[(*JARS[0], "between")] = CANARY + "between"
        settings = ["--key-file", keys[1], "--old-key-file", keys[0]]
        Story(work, "a change of keys", sealed, settings, expected).run(points)
        restore(work, work / "data", settings[:2], expected, points)
    finally:
        shutil.rmtree(work)


main()
