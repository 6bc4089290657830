#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Disks that are full, read-only or broken, under the real binary.

    failing_disks.py [NAME ...]        default: every check that can run here

A check that needs root or strace says so and is skipped where it has none. After each, everything that was
acknowledged must be there.
"""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import sqlite3
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
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content

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


def fill(service, limit=20000):
    """Writes until there is no room; answers how many were taken."""
    for number in range(limit):
        status = service.put(f"jar-{number % 40}", f"{number}-" + "x" * 3000)
        if status != 200:
            assert status == 507, status
            return number
    raise AssertionError("the disk is never full")


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.05)


def full_disk():
    """R08: writes 507, reads and deletions go on, and all is well again when there is room."""
    with tmpfs("8m") as path:
        service = Service(f"{path}/data")
        taken = fill(service)
        assert taken > 40, taken
        for number in range(5):
            assert service.put("new", str(number)) == 507
        assert service.ready() == 503
        assert service.call("GET", "/healthz")[0] == 200
        service.audit()
        for number in range(20):
            assert service.delete(f"jar-{number}") == 204, number
        assert service.put("new", "1") == 507
        service.audit()
        subprocess.run(["mount", "-o", "remount,size=32m", path], check=True)
        wait_until(lambda: service.ready() == 200, 5)
        assert service.put("new", "1") == 200
        service.audit()
        check_restarted(service)


def no_inodes():
    """R09: no room for another file; a new tenant is refused, the old ones go on."""
    with tmpfs("32m", inodes=14) as path:
        service = Service(f"{path}/data")
        assert service.put("a", "1") == 200
        statuses = set()
        for number in range(6):
            statuses.add(service.call("POST", f"/v1/tenants/t{number}/jars/a/stores/s/ingest",
                                      {"url": "https://a.example/", "headers": [["Set-Cookie", "a=1"]]})[0])
        assert 507 in statuses and statuses <= {200, 507}, statuses
        assert service.put("a", "2") == 200
        service.audit()
        subprocess.run(["mount", "-o", "remount,nr_inodes=100", path], check=True)
        check_restarted(service)


def backup_on_full_disk():
    """A backup for which there is no room is refused and leaves nothing."""
    with tmpfs("8m") as path, directory() as data:
        service = Service(f"{data}/data", settings=["--backup-dir", f"{path}/backups"])
        for number in range(3000):
            assert service.put(f"jar-{number}", "x" * 3000) == 200
        status, _ = service.call("POST", "/v1/admin/backup", {"name": "b"})
        assert status == 507, status
        assert os.listdir(f"{path}/backups") == []
        service.audit()
        assert service.stop() == 0


def file_size_limit():
    """R10: a limit on the size of files is a full disk, not the end."""
    with directory() as path:
        service = Service(f"{path}/data", wrapper=["prlimit", "--fsize=4194304"])
        fill(service)
        assert service.put("new", "1") == 507
        service.audit()
        check_restarted(service)


def read_only_start():
    """R11: on a read-only file system the service does not start, and says why."""
    with tmpfs("8m") as path:
        subprocess.run(["mount", "-o", "remount,ro", path], check=True)
        service = Service(f"{path}/data")
        assert service.port is None and service.process.returncode == 78, service.process.returncode
        assert b"data-dir" in service.output[-1]


def strace(call, what):
    need_strace()
    return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:{what}"]


def one_failed_sync():
    """R04: a sync that fails is never an acknowledgement, nor is the next one on the same log."""
    with directory() as path:
        service = Service(f"{path}/data", wrapper=strace("fdatasync", "error=EIO:when=12"))
        refused = 0
        for number in range(60):
            status = service.put("a", str(number))
            assert status in (200, 503), status
            refused += status == 503
        assert refused >= 1
        service.audit()
        check_restarted(service)


def every_sync_fails():
    """R05: writes 503, reads go on; on a healthy disk all is there."""
    with directory() as path:
        service = Service(f"{path}/data", wrapper=strace("fdatasync", "error=EIO:when=20+"))
        number = 0
        while service.put("a", str(number)) == 200:
            number += 1
        for _ in range(5):
            assert service.put("a", "lost") == 503
        check_restarted(service)


def sound(service, statuses):
    """No answer but those, and the process lives or had not started."""
    for number in range(6):
        status = service.put(f"j{number % 2}", str(number))
        assert status in statuses, status
    assert service.process.poll() is None, "it has ended"


def every_call_fails():
    """R06, R07: each call of each kind fails once, and from then on; no crash, no false acknowledgement."""
    need_strace()
    runs = 0
    step = int(os.environ.get("CS_FAULT_STEP", "7"))
    for call, first in (("pwrite64", 1), ("fdatasync", 1), ("ftruncate", 1), ("unlink", 1), ("fallocate", 1),
                        ("openat", 60)):
        for error in ("EIO", "ENOSPC"):
            for number in range(first, first + 28, step):
                for sticky in ("", "+"):
                    with directory() as path:
                        service = Service(f"{path}/data",
                                          wrapper=strace(call, f"error={error}:when={number}{sticky}"))
                        if service.port is None:
                            # 127: the dynamic linker could not open a library.
                            assert service.process.returncode in (71, 74, 78, 127), service.process.returncode
                            continue
                        sound(service, (200, 503, 507))
                        check_restarted(service)
                        runs += 1
    print(f"    {runs} runs")


def killed_migration():
    """R41: killed at each write of a migration, the schema is the old or the new one, and the old file is kept."""
    need_strace()
    with directory() as path:
        service = Service(f"{path}/data")
        assert service.put("a", "1") == 200
        assert service.stop() == 0
        folder = pathlib.Path(f"{path}/data/tenants/acme")
        new = sqlite3.connect(folder / "jar.sqlite")
        application = new.execute("PRAGMA application_id").fetchone()[0]
        new.close()
        killed = 0
        for number in range(1, 100):
            shutil.rmtree(folder)
            folder.mkdir()
            old = sqlite3.connect(folder / "jar.sqlite")
            old.execute(f"PRAGMA application_id = {application}")
            old.execute("PRAGMA journal_mode = WAL")
            old.close()
            wrapper = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", f"{folder}/jar.sqlite", "-P",
                       f"{folder}/jar.sqlite-wal", "-P", f"{folder}/jar.sqlite.v0.new", "-e", "trace=pwrite64",
                       "-e", f"inject=pwrite64:signal=KILL:when={number}"]
            service = Service(f"{path}/data", wrapper=wrapper)
            status = None
            with contextlib.suppress(OSError, http.client.HTTPException):
                status = service.put("a", "1")
            service = service.restart()
            assert service.put("b", "2") == 200
            service.audit()
            assert (folder / "jar.sqlite.v0").exists() and not (folder / "jar.sqlite.v0.new").exists()
            assert service.stop() == 0
            if status == 200:
                break
            killed += 1
        assert killed > 3, killed
        print(f"    killed at each of {killed} writes")


def slow_disk():
    """R52: while a sync takes 200 ms, writes share it."""
    import threading
    with directory() as path:
        service = Service(f"{path}/data", wrapper=strace("fdatasync", "delay_enter=200000"))
        service.put("warm", "0")
        counts, end = [0] * 64, time.monotonic() + 3

        def client(number):
            while time.monotonic() < end:
                counts[number] += service.put(f"jar-{number}", str(counts[number])) == 200

        threads = [threading.Thread(target=client, args=(number,)) for number in range(64)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # Fifteen syncs at most.
        assert sum(counts) > 150, sum(counts)
        print(f"    {sum(counts)} writes in 3 s")
        check_restarted(service)


CHECKS = [full_disk, no_inodes, backup_on_full_disk, file_size_limit, read_only_start, one_failed_sync,
          every_sync_fails, every_call_fails, killed_migration, slow_disk]


def main():
    chosen = [check for check in CHECKS if not sys.argv[1:] or check.__name__ in sys.argv[1:]]
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


if __name__ == "__main__":
    sys.exit(main())
