#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Backups, checkpoints and starts of a service that is busy, under the real binary.

    under_load.py [NAME ...]        default: every check that can run here

CS_LONG=1 is the form of `make soak`: 20 backups for 5, ten minutes of checkpoints for ten seconds. After each check,
everything that was acknowledged must be there.
"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from harness import BINARY, STORE, Service, check_restarted, directory, need_strace, run, wait_until

LONG = os.environ.get("CS_LONG") == "1"
TENANTS = 4
# What a writer tells its own connection to do, one after the other.
CALLS = "openat,close,pwrite64,fdatasync,fsync,ftruncate"
LINE = re.compile(r"(\d+)\s+(\d+\.\d+) (?:(\w+)\((\S+?)(?:[,)]|\s<unf)|<\.\.\. (\w+) resumed>)(.*)")


class Writers:
    """Eight clients that count, each in a jar of its own, with a twin beside each count; reads go along if wanted."""

    def __init__(self, port, tenants=1, count=8, readers=0):
        self.port, self.tenants, self.latencies = port, tenants, []
        self.acknowledged, self.failures, self.ends = {}, [], threading.Event()
        loops = [(self.write, number) for number in range(count)] + [(self.read, number) for number in range(readers)]
        self.threads = [threading.Thread(target=self.guard, args=loop) for loop in loops]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join()
        assert not self.failures, self.failures[:3]

    def guard(self, loop, number):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            loop(connection, number)
        except Exception as error:  # pylint: disable=broad-except
            self.failures.append(repr(error))
        finally:
            connection.close()

    def jar(self, number):
        return f"/v1/tenants/t{number % self.tenants}/jars/j{number}"

    def write(self, connection, number):
        path, count = self.jar(number) + "/stores/native/ingest", 0
        while not self.ends.is_set():
            count += 1
            lines = [["Set-Cookie", f"{name}={count}"] for name in ("count", "twin")]
            body = json.dumps({"url": "https://a.example/", "headers": lines})
            began = time.monotonic()
            connection.request("POST", path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, answer.status
            self.latencies.append((began, time.monotonic() - began))
            self.acknowledged[self.jar(number)] = count

    def read(self, connection, number):
        while not self.ends.is_set():
            connection.request("GET", self.jar(number) + "/stores/native/cookies")
            answer = connection.getresponse()
            content = answer.read()
            assert answer.status in (200, 404), answer.status
            if answer.status == 200:
                values = {cookie["value"] for cookie in json.loads(content)["cookies"]}
                assert len(values) <= 1, "half a write was read"
            time.sleep(0.005)

    def between(self, begin, end):
        return sorted(taken for start, taken in self.latencies if begin <= start < end)


def check_counts(service, least):
    """Every jar has come as far as that, and none has half a write."""
    for jar, count in least.items():
        status, body = service.call("GET", f"{jar}/stores/native/cookies")
        assert status == 200, (jar, status)
        values = {int(cookie["value"]) for cookie in json.loads(body)["cookies"]}
        assert len(values) == 1 and min(values) >= count, f"{jar}: {values}, {count} was acknowledged"


def p99(times):
    return times[len(times) * 99 // 100]


def large_log():
    """R28: killed with a log of 64 MiB, it starts, and answers from that log, within 5 s."""
    with directory() as path:
        service = Service(f"{path}/data")
        for number in range(40):
            assert service.put(f"jar-{number}", "x" * 3000) == 200
        assert service.stop() == 0
        file = f"{path}/data/tenants/acme/jar.sqlite"
        # Every value gets an octet more, and loses it again; what is the same is not written.
        grow = ("import os, sqlite3, sys; database = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
                "database.execute('PRAGMA wal_autocheckpoint = 0')\n"
                "database.execute('PRAGMA synchronous = OFF')\n"
                "size = 0\n"
                "while size < 64 << 20:\n"
                "    for value in 'value || 1', 'substr(value, 1, length(value) - 1)':\n"
                "        for table in 'cookie', 'change':\n"
                "            database.execute(f'UPDATE {table} SET value = CAST({value} AS BLOB)')\n"
                "    size = os.path.getsize(sys.argv[1] + '-wal')\n"
                "os._exit(9)")
        assert subprocess.run([sys.executable, "-c", grow, file]).returncode == 9
        size = os.path.getsize(f"{file}-wal")
        kept = service.kept
        began = time.monotonic()
        service = Service(f"{path}/data", wrapper=os.environ.get("CS_WRAPPER", "").split())
        service.kept = kept
        started = time.monotonic() - began
        status, _ = service.call("GET", "/v1/tenants/acme/jars/jar-7/stores/native/cookies")
        taken = time.monotonic() - began
        assert status == 200 and taken < 5, (status, taken)
        service.audit()
        print(f"    log of {size >> 20} MiB: listens after {started:.2f} s, first read after {taken:.2f} s")
        check_restarted(service)


CANARY = "canary-d41d8cd98f00b204e9800998ecf8427e"


def backups():
    """R42: while eight write, each backup is whole and holds what came before it, and the writers hardly notice; of a
    sealed directory it is sealed as well."""
    with directory() as path:
        key = make_key(path)
        service = Service(f"{path}/data", settings=["--log-requests", "0", *key])
        assert service.put("canary", CANARY) == 200
        quiet, busy, rates = [], [], []
        with Writers(service.port) as writers:
            wait_until(lambda: len(writers.acknowledged) == 8, 30)
            for number in range(20 if LONG else 5):
                begin = time.monotonic()
                time.sleep(0.5)
                before, middle = dict(writers.acknowledged), time.monotonic()
                status, body = service.call("POST", "/v1/admin/backup", {"name": f"b{number}"})
                end = time.monotonic()
                assert status == 200 and json.loads(body)["faults"] == [], body
                quiet += writers.between(begin, middle)
                busy += writers.between(middle, end)
                rates.append(len(writers.between(begin, end)) / (end - begin))
                check_backup(path, number, before, key)
        ratio = p99(sorted(busy)) / p99(sorted(quiet))
        print(f"    {len(rates)} backups at {min(rates):.0f} to {max(rates):.0f} writes/s; p99 of writes "
              f"{p99(sorted(quiet)) * 1e3:.1f} ms, during backups {p99(sorted(busy)) * 1e3:.1f} ms ({ratio:.2f})")
        # A bound on a latency is only worth something where enough are counted.
        assert ratio <= 2 or not LONG, ratio
        assert min(rates) >= 500 or not LONG, rates
        assert service.stop() == 0


def make_key(path):
    """The settings of a data directory that is sealed."""
    key = ["--key-file", f"{path}/key"]
    subprocess.run([BINARY, "create-key", "--data-dir", f"{path}/data", *key], check=True, stdout=subprocess.DEVNULL)
    return key


def holds(folder, text):
    """Whether a file below it has that text in it, plainly."""
    return any(text.encode() in entry.read_bytes() for entry in pathlib.Path(folder).rglob("*") if entry.is_file())


def plain_canary():
    """The search for a canary, held against a backup that is not sealed: it has to be found there."""
    with directory() as path:
        service = Service(f"{path}/data")
        assert service.put("canary", CANARY) == 200
        assert service.call("POST", "/v1/admin/backup", {"name": "b"})[0] == 200
        assert service.stop() == 0
        assert holds(f"{path}/data/backups/b", CANARY)


def check_backup(path, number, before, key):
    assert not holds(f"{path}/data/backups/b{number}", CANARY), "a value lies open in a backup"
    restored = f"{path}/restored-{number}"
    subprocess.run([BINARY, "restore", f"{path}/data/backups/b{number}", "--data-dir", restored, *key], check=True,
                   stdout=subprocess.DEVNULL)
    modes = {entry.stat().st_mode & 0o077 for entry in pathlib.Path(f"{path}/data/backups/b{number}").rglob("*")}
    assert modes == {0}, modes
    file = sqlite3.connect(f"{restored}/tenants/t0/jar.sqlite")
    assert file.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    file.close()
    copy = Service(restored, settings=key)
    check_counts(copy, before)
    status, body = copy.call("GET", STORE.format(jar="canary") + "/cookies")
    assert status == 200 and CANARY.encode() in body, status
    assert copy.stop() == 0


class Calls:
    """What a strace log says of the files of one tenant: never two descriptors, never two threads at once."""

    def __init__(self, log):
        self.open, self.under_way, self.names = {}, {}, {}
        self.syncs = self.writes = self.opens = 0
        self.threads = set()
        with open(log, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                self.take(line)

    def take(self, line):
        match = LINE.match(line)
        if not match:
            return
        thread, _, call, first, resumed, rest = match.groups()
        if resumed:
            self.end(thread)
            return
        name = self.file(call, first, rest)
        if name:
            folder = os.path.dirname(name)
            other = self.under_way.get(folder, thread)
            assert other == thread, f"threads {other} and {thread} write to {folder} at once"
            if call == "openat":
                self.opened(name, rest)
            elif call == "close":
                self.open[name] = self.open.get(name, 0) - 1
            else:
                self.syncs += call in ("fdatasync", "fsync")
                self.writes += call == "pwrite64"
                self.threads.add(thread)
            if "<unfinished" in line:
                self.under_way[folder], self.names[thread] = thread, folder

    def end(self, thread):
        folder = self.names.pop(thread, None)
        if folder and self.under_way.get(folder) == thread:
            del self.under_way[folder]

    def file(self, call, first, rest):
        """The path, where it is a database or its log."""
        found = re.search(r'"([^"]+)"' if call == "openat" else r"\d+<([^>]*)>", rest if call == "openat" else first)
        return found[1] if found and re.search(r"tenants/t\d/jar\.sqlite(-wal)?$", found[1]) else None

    def opened(self, name, rest):
        if re.search(r"= -1 ", rest):
            return
        self.opens += 1
        self.open[name] = self.open.get(name, 0) + 1
        assert self.open[name] == 1, f"{name} is open twice"


def traced(log, command):
    return ["strace", "-f", "-ttt", "-y", "-qq", "--seccomp-bpf", "-e", f"trace={CALLS}", "-o", log, *command]


def checkpoints():
    """R56: whatever writes to a database or its log, syncs or cuts it, is its one connection, on one thread at a time.

    Four tenants share room for two open ones, so that they are closed again and again, which folds their logs into
    their databases and removes them; the logs grow past their checkpoints besides.
    """
    need_strace()
    with directory() as path, tempfile.TemporaryDirectory(prefix="under-load.") as logs:
        log = f"{logs}/log"
        service = Service(f"{path}/data", wrapper=traced(log, []), settings=["--open-tenants", "2", "--log-requests", "0"])
        with Writers(service.port, TENANTS, readers=8) as writers:
            time.sleep(600 if LONG else 10)
        check_counts(service, writers.acknowledged)
        kept = dict(writers.acknowledged)
        service = service.restart()
        check_counts(service, kept)
        status, body = service.call("POST", "/v1/admin/verify")
        assert status == 200 and json.loads(body)["faults"] == [], body
        assert service.stop() == 0
        calls = Calls(log)
        assert calls.syncs > 20 and calls.opens > 8, (calls.syncs, calls.opens)
        print(f"    {sum(kept.values())} writes, {calls.writes} calls to write, {calls.syncs} syncs, files opened "
              f"{calls.opens} times, by {len(calls.threads)} threads, never two at once")


def checkpoints_notice():
    """R56's check, held against a program that has two connections to one database: it has to see that."""
    need_strace()
    program = ("import sqlite3, sys, threading\n"
               "def write(name):\n"
               "    database = sqlite3.connect(sys.argv[1], timeout=60)\n"
               "    database.execute('PRAGMA journal_mode = WAL')\n"
               "    database.execute(f'CREATE TABLE IF NOT EXISTS {name} (a)')\n"
               "    for number in range(200):\n"
               "        with database: database.execute(f'INSERT INTO {name} VALUES (1)')\n"
               "threads = [threading.Thread(target=write, args=(name,)) for name in 'ab']\n"
               "for thread in threads: thread.start()\n"
               "for thread in threads: thread.join()\n")
    with directory() as path:
        os.makedirs(f"{path}/tenants/t0")
        command = [sys.executable, "-c", program, f"{path}/tenants/t0/jar.sqlite"]
        subprocess.run(traced(f"{path}/log", command), check=True)
        with contextlib.suppress(AssertionError):
            Calls(f"{path}/log")
            raise Unnoticed
        print("    two connections are noticed")


class Unnoticed(Exception):
    """A mutant that passed."""


CHECKS = [large_log, backups, plain_canary, checkpoints, checkpoints_notice]

if __name__ == "__main__":
    sys.exit(run(CHECKS))
