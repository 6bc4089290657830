#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts the power, as an strace log tells it, at every acknowledgement, and looks for lost writes.

    powerloss.py [--seconds N] [--every N] [--keep DIRECTORY]

A run is recorded with every write, sync and answer. Then it is replayed: what was written and not synced is lost
whole; file names are durable at once. kill -9 cannot see this class of fault, as the page cache outlives the process.

What is recorded: StorageTortureHelper, and the service with eight clients. Both must lose nothing. Two mutants of the
helper must lose something, or the test is worth nothing: `synchronous = NORMAL` (normal_sync.c, preloaded), and the
answer before the commit (the helper's argument `early-reply`).
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
ROOT = pathlib.Path(__file__).resolve().parents[2]
CALLS = ("pwrite64,write,pwritev,ftruncate,fallocate,fsync,fdatasync,unlink,unlinkat,rename,renameat,renameat2,"
         "openat,sendto,sendmsg,writev")
HEX = re.compile(rb"\\x([0-9a-f]{2})")
STRING = re.compile(rb'"((?:\\x[0-9a-f]{2})*)"')
UNFINISHED = b"<unfinished ...>"


def decode(text):
    return bytes.fromhex(b"".join(HEX.findall(text)).decode())


class File:
    """What was written to a file, and what of that a power cut leaves."""

    def __init__(self):
        self.length, self.durable, self.waiting, self.synced = 0, bytearray(), [], 0

    def write(self, offset, data):
        self.waiting.append((offset, data))
        self.length = max(self.length, offset + len(data))

    def truncate(self, length):
        self.waiting.append((length, None))
        self.length = length

    def mark(self):
        """How much has been done to the file, for a sync that begins."""
        return self.synced + len(self.waiting)

    def sync(self, mark):
        """Makes durable what had been done when a sync began."""
        count = max(0, mark - self.synced)
        for offset, data in self.waiting[:count]:
            content = self.durable
            if data is None:
                del content[offset:]
            content.extend(bytes(max(0, offset - len(content))))
            if data is not None:
                content[offset:offset + len(data)] = data
        del self.waiting[:count]
        self.synced += count


class Disk:
    """The files of the data directory: as written, and as they would be after a power cut."""

    def __init__(self, directory):
        self.directory = os.path.realpath(directory).encode() + b"/"
        self.files, self.version = {}, 0

    def name(self, path):
        path = decode(path) if b"\\x" in path else path
        return path if path.startswith(self.directory) else None

    def file(self, name):
        return self.files.setdefault(name, File())

    def sync(self, name, mark):
        # Else a directory, or nothing was written.
        if name in self.files:
            self.files[name].sync(mark)
            self.version += 1

    def move(self, source, target):
        for name in [n for n in self.files if n == source or n.startswith(source + b"/")]:
            self.files[target + name[len(source):]] = self.files.pop(name)

    def remove(self, name):
        self.files.pop(name, None)
        self.version += 1

    def restore(self, target):
        for name, found in self.files.items():
            # A name of which nothing was ever synced is not there.
            if name.endswith(b"-shm") or not found.synced:
                continue
            path = os.path.join(target.encode(), name[len(self.directory):])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(found.durable)


def events(log):
    """Each call of the log once, as (phase, call, arguments, result); `begin` comes before `end`."""
    pending = {}
    with open(log, "rb") as lines:
        for line in lines:
            match = re.match(rb"(\d+)\s+(.*)", line, re.S)
            if not match:
                continue
            thread, text = match[1], match[2].rstrip()
            resumed = re.match(rb"<\.\.\. \w+ resumed>(.*)", text, re.S)
            if text.endswith(UNFINISHED):
                pending[thread] = text[:-len(UNFINISHED)].rstrip()
                begun = re.match(rb"(\w+)\((.*)", pending[thread], re.S)
                if begun:
                    yield "begin", begun[1], begun[2], None, thread
                continue
            if resumed:
                text = pending.pop(thread, b"") + resumed[1]
            call = re.match(rb"(\w+)\((.*)\)\s+= (-?\d+)", text, re.S)
            if not call:
                continue
            if not resumed:
                yield "begin", call[1], call[2], None, thread
            yield "end", call[1], call[2], int(call[3]), thread


def replay(log, disk, acknowledgements, check):
    """Calls `check(acknowledgement)` at each one, the disk being as it would be after a power cut."""
    syncing = {}
    for phase, call, arguments, result, thread in events(log):
        descriptor = re.match(rb"(\d+)<([^>]*)>", arguments)
        name = disk.name(descriptor[2]) if descriptor else None
        if phase == "begin":
            # A sync makes durable what was written when it began; bytes may be out when a send begins.
            if call in (b"fsync", b"fdatasync") and name:
                syncing[thread] = disk.files[name].mark() if name in disk.files else 0
            elif call in (b"write", b"sendto", b"sendmsg", b"writev") and not name:
                data = b"".join(decode(part) for part in STRING.findall(arguments))
                for found in acknowledgements.finditer(data):
                    check(found)
        elif result < 0:
            continue
        elif call in (b"fsync", b"fdatasync") and name:
            disk.sync(name, syncing.pop(thread, 0))
        elif call in (b"pwrite64", b"write") and name:
            parts = re.search(rb', "((?:\\x[0-9a-f]{2})*)"(\.\.\.)?, \d+(?:, (\d+))?', arguments)
            assert not parts[2], "strace cut a write short"
            assert parts[3] or call == b"pwrite64" or name not in disk.files, "a second write without an offset"
            disk.file(name).write(int(parts[3] or 0), decode(parts[1])[:result])
        elif call == b"ftruncate" and name:
            disk.file(name).truncate(int(arguments.rsplit(b", ", 1)[1]))
        elif call == b"fallocate" and name:
            mode, offset, length = (int(number) for number in arguments.split(b", ")[1:])
            assert mode == 0, "a way to allocate that the replay does not know"
            disk.file(name).truncate(max(disk.file(name).length, offset + length))
        elif call == b"pwritev" and name:
            raise SystemExit(f"a call that the replay does not know: {call.decode()}")
        elif call in (b"unlink", b"unlinkat"):
            path = disk.name(STRING.search(arguments)[1])
            if path:
                disk.remove(path)
        elif call in (b"rename", b"renameat", b"renameat2"):
            source, target = (disk.name(path) for path in STRING.findall(arguments)[:2])
            if source and target:
                disk.move(source, target)


def counts(directory):
    """Where each jar's count stands, as SQLite finds it; raises when a database is not sound."""
    found = {}
    for path in pathlib.Path(directory).glob("tenants/*/jar.sqlite"):
        if path.parent.name.startswith("."):
            continue
        database = sqlite3.connect(path)
        try:
            assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            names = dict(database.execute("SELECT id, name FROM jar"))
            names.update(database.execute("SELECT jar, store FROM change WHERE kind = 0"))
            rows = database.execute(
                "SELECT jar, value FROM change WHERE kind IN (1, 2) AND name = CAST('count' AS BLOB) ORDER BY sequence")
            for jar, value in rows:
                found[f"{path.parent.name}/{names[jar].decode()}"] = int(value)
        finally:
            database.close()
    return found


class Audit:
    """What was acknowledged against what would be there."""

    def __init__(self, disk, every):
        self.disk, self.every, self.version, self.found, self.cuts = disk, every, None, {}, 0
        self.acknowledged, self.lost = 0, 0

    def check(self, match):
        self.acknowledged += 1
        if self.version != self.disk.version:
            self.version, self.cuts = self.disk.version, self.cuts + 1
            if self.cuts % self.every:
                # What was acknowledged here is looked for at a later cut, with all that came after it.
                return
            with tempfile.TemporaryDirectory(prefix="powerloss.", dir=MEMORY) as target:
                self.disk.restore(target)
                self.found = counts(target)
        elif self.cuts % self.every:
            return
        jar = match["jar"].decode()
        if self.found.get(jar, 0) < int(match["count"]):
            self.lost += 1


def strace(log, command, preload=None):
    line = ["strace", "-f", "-y", "-xx", "-s", "2000000", "-e", f"trace={CALLS}", "-o", log]
    if preload:
        line += ["-E", f"LD_PRELOAD={preload}"]
    return subprocess.Popen(line + command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def kill_traced(tracer):
    children = pathlib.Path(f"/proc/{tracer.pid}/task/{tracer.pid}/children").read_text().split()
    for child in children:
        os.kill(int(child), signal.SIGKILL)
    tracer.wait()


def record_helper(work, seconds, arguments=(), preload=None):
    helper = ROOT / ".build/debug/StorageTortureHelper"
    tracer = strace(f"{work}/log", [str(helper), f"{work}/data", *arguments], preload)
    reader = threading.Thread(target=tracer.stdout.read)
    reader.start()
    time.sleep(seconds)
    kill_traced(tracer)
    reader.join()
    return re.compile(rb"(?P<jar>\w+/jar-\d) (?P<count>\d+) \d+\n")


def record_service(work, seconds):
    binary = os.environ.get("CS_TEST_BINARY") or str(ROOT / ".build/debug/cookiesync")
    tracer = strace(f"{work}/log", [binary, "serve", "--port", "0", "--data-dir", f"{work}/data", "--log-format", "json"])
    for line in tracer.stdout:
        if b'"event":"listen"' in line:
            port = json.loads(line)["port"]
            break
    drain = threading.Thread(target=tracer.stdout.read)
    drain.start()
    end = time.monotonic() + seconds

    def client(number):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        count = 0
        while time.monotonic() < end:
            count += 1
            body = json.dumps({"url": "https://a.example/", "headers": [["Set-Cookie", f"count={count}"],
                                                                       ["Set-Cookie", f"jar={number}"]]})
            connection.request("POST", f"/v1/tenants/acme/jars/{number}/stores/native/ingest", body,
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, answer.status

    clients = [threading.Thread(target=client, args=(number,)) for number in range(8)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    kill_traced(tracer)
    drain.join()
    return re.compile(rb'"name":"count","value":"(?P<count>\d+)".*?"name":"jar","value":"(?P<jar>\d)"', re.S)


def run(title, record, must_lose, given):
    work = tempfile.mkdtemp(prefix="powerloss.", dir=given.keep)
    try:
        pattern = record(work)
        disk = Disk(f"{work}/data")
        audit = Audit(disk, given.every)

        def check(match):
            jar = match["jar"]
            audit.check({"jar": jar if b"/" in jar else b"acme/" + jar, "count": match["count"]})

        replay(f"{work}/log", disk, pattern, check)
    finally:
        if not given.keep:
            shutil.rmtree(work)
    print(f"{title}: {audit.acknowledged} acknowledged, {audit.cuts // given.every} of {audit.cuts} different power cuts, {audit.lost} lost", flush=True)
    return audit.acknowledged > 0 and (audit.lost > 0) == must_lose


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=float, default=1)
    options.add_argument("--every", type=int, default=1, help="look at every N-th power cut only, as a long run needs")
    options.add_argument("--keep", help="leave logs and data there")
    given = options.parse_args()
    if not shutil.which("strace"):
        raise SystemExit("strace is missing: scripts/setup test")
    with tempfile.TemporaryDirectory(prefix="powerloss.") as build:
        mutant = f"{build}/normal_sync.so"
        subprocess.run(["clang", "-shared", "-fPIC", "-o", mutant, str(ROOT / "Tests/Durability/normal_sync.c"), "-ldl"],
                       check=True)
        runs = [
            run("storage", lambda work: record_helper(work, given.seconds), False, given),
            run("service", lambda work: record_service(work, given.seconds), False, given),
            run("mutant synchronous=NORMAL", lambda work: record_helper(work, given.seconds, preload=mutant), True,
                given),
            run("mutant early reply", lambda work: record_helper(work, given.seconds, ["early-reply"]), True, given),
        ]
    if not all(runs):
        raise SystemExit("powerloss: not as it must be")


if __name__ == "__main__":
    sys.exit(main())
