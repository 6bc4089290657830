#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Disks that are full, read-only or broken, under the real binary.

    failing_disks.py [NAME ...]        default: every check that can run here

A check that needs root or strace says so and is skipped where it has none. After each, everything that was
acknowledged must be there.
"""

import contextlib
import http.client
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

from harness import (
    STORE, Service, check_restarted, directory, ext4, need_root, need_strace, run, strace, tmpfs, wait_until)


def fill(service, limit=20000):
    """Writes until there is no room; answers how many were taken."""
    for number in range(limit):
        status = service.put(f"jar-{number % 40}", f"{number}-" + "x" * 3000)
        if status != 200:
            assert status == 507, status
            return number
    raise AssertionError("the disk is never full")


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


def full_ext4():
    """R09: the same where blocks are promised before they are had; the room comes from another file that goes."""
    with ext4(32, "-m", "0") as path:
        with open(f"{path}/filler", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, 18 << 20)
        service = Service(f"{path}/data")
        taken = fill(service)
        assert taken > 40, taken
        assert service.put("new", "1") == 507 and service.ready() == 503
        service.audit()
        for number in range(20):
            assert service.delete(f"jar-{number}") == 204, number
        service.audit()
        os.unlink(f"{path}/filler")
        wait_until(lambda: service.ready() == 200, 5)
        assert service.put("new", "1") == 200
        service.audit()
        check_restarted(service)


def no_ext4_inodes():
    """R09: a file system that has inodes for a handful of files: a new tenant is refused, the old ones go on."""
    with ext4(32, "-N", "32") as path:
        service = Service(f"{path}/data")
        assert service.put("a", "1") == 200
        for number in range(64):
            try:
                open(f"{path}/filler-{number}", "wb").close()
            except OSError:
                break
        status, _ = service.call("POST", "/v1/tenants/other/jars/a/stores/s/ingest",
                                 {"url": "https://a.example/", "headers": [["Set-Cookie", "a=1"]]})
        assert status == 507, status
        assert service.put("a", "2") == 200
        service.audit()
        for other in range(number):
            os.unlink(f"{path}/filler-{other}")
        status, _ = service.call("POST", "/v1/tenants/other/jars/a/stores/s/ingest",
                                 {"url": "https://a.example/", "headers": [["Set-Cookie", "a=1"]]})
        assert status == 200, status
        check_restarted(service)


def another_user():
    """R12: as a user who is nobody else, under any umask: all that it makes is its owner's alone."""
    need_root()
    with directory() as path:
        os.chown(path, 65534, 65534)
        data = f"{path}/data"
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", 'umask 000; exec "$@"', "sh"]
        service = Service(data, wrapper=nobody)
        assert service.put("a", "1") == 200
        assert service.call("POST", "/v1/admin/backup", {"name": "b"})[0] == 200
        seen = list(pathlib.Path(data).rglob("*"))
        assert len(seen) > 8, seen
        for entry in [pathlib.Path(data), *seen]:
            state = entry.lstat()
            assert state.st_uid == 65534 and state.st_mode & 0o077 == 0, (entry, oct(state.st_mode))
        service.audit()
        assert service.stop() == 0


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


def check_unwritable(service):
    """Writes are 503, reads go on, and it does not call itself ready."""
    for number in range(3):
        status = service.put("a", f"refused-{number}")
        assert status == 503, status
    status = service.put("new", "1")
    assert status == 503, status
    status, body = service.call("GET", STORE.format(jar="a") + "/cookies")
    assert status == 200 and b'"value"' in body, status
    wait_until(lambda: service.ready() == 503, 5)
    assert service.call("GET", "/healthz")[0] == 200


def read_only_while_running():
    """R11: the file system becomes read-only under open files, as ext4 does after a fault."""
    with ext4(48) as path:
        service = Service(f"{path}/data")
        assert service.put("a", "1") == 200
        # While files are open for writing, a plain `remount,ro` is refused; this is what a broken disk leads to.
        subprocess.run(["mount", "-o", "remount,abort", path], check=True)
        check_unwritable(service)
        service.audit()
        service.stop(signal.SIGKILL)
        again = Service(f"{path}/data")
        assert again.port is None and again.process.returncode == 78, again.process.returncode
        assert b"data-dir" in again.output[-1] and b"Read-only" in again.output[-1], again.output


def read_only_for_a_while():
    """R11: it goes on by itself when the file system can be written to again."""
    need_strace()
    with directory() as path:
        service = Service(f"{path}/data")
        assert service.put("a", "1") == 200
        with injected(service, "pwrite64,fdatasync,fsync,ftruncate,fallocate,unlink", "error=EROFS"):
            check_unwritable(service)
        # By what it is told of readiness alone: whoever asks it stays away until then.
        wait_until(lambda: service.ready() == 200, 5)
        assert service.put("a", "2") == 200
        service.audit()
        check_restarted(service)


@contextlib.contextmanager
def injected(service, calls, what):
    """Has these calls of a running service go wrong for a while."""
    tracer = subprocess.Popen(
        ["strace", "-f", "-qq", "-o", "/dev/null", "-p", str(service.process.pid), "-e", f"trace={calls}",
         "-e", f"inject={calls}:{what}"])
    try:
        wait_until(lambda: is_traced(service.process.pid), 10)
        yield
    finally:
        tracer.terminate()
        tracer.wait()


def is_traced(process):
    statuses = [status.read_text() for status in pathlib.Path(f"/proc/{process}/task").glob("*/status")]
    return all("TracerPid:\t0\n" not in status for status in statuses)


def foreign_lock():
    """R18: who has the database first keeps it; the other is refused after its patience, and not for ever."""
    with directory() as path:
        service = Service(f"{path}/data")
        assert service.put("a", "1") == 200
        file = f"{path}/data/tenants/acme/jar.sqlite"
        shell = subprocess.run(["sqlite3", file, "BEGIN EXCLUSIVE"], capture_output=True, text=True)
        assert shell.returncode and "locked" in shell.stderr, shell
        assert service.put("a", "2") == 200
        service = service.restart()
        lock = sqlite3.connect(file, isolation_level=None)
        lock.execute("BEGIN EXCLUSIVE")
        began = time.monotonic()
        answer, _ = service.ask("POST", STORE.format(jar="a") + "/ingest",
                                {"url": "https://a.example/", "headers": [["Set-Cookie", "v=3"]]})
        waited = time.monotonic() - began
        assert answer.status == 503 and answer.getheader("Retry-After"), answer.status
        assert 4 < waited < 10, waited
        assert service.call("GET", "/healthz")[0] == 200
        lock.execute("ROLLBACK")
        lock.close()
        wait_until(lambda: service.put("a", "4") == 200, 10)
        service.audit()
        check_restarted(service)
        print(f"    503 after {waited:.1f} s")


def one_failed_sync():
    """R04: a sync that fails is never an acknowledgement, nor is the next one on the same log."""
    with directory() as path:
        # The first dozen are the catalogue's, which is made at the start.
        service = Service(f"{path}/data", wrapper=strace("fdatasync", "error=EIO:when=24"))
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
        # Those of the first tenant's files are let through.
        wrapper = [*strace("fdatasync,fsync", "error=EIO:when=20+"), "-e", "inject=fsync:error=EIO:when=8+"]
        service = Service(f"{path}/data", wrapper=wrapper)
        number = 0
        while service.put("a", str(number)) == 200:
            number += 1
        for _ in range(5):
            assert service.put("a", "lost") == 503
        wait_until(lambda: service.ready() == 503, 5)
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


def stuck_disk():
    """R52: what waits for more than 5 s behind a sync that does not end is refused, and was not done."""
    need_strace()
    with directory() as path:
        service = Service(f"{path}/data")
        assert service.put("a", "1") == 200
        answers = []

        def write(number):
            began = time.monotonic()
            answer, _ = service.ask("POST", STORE.format(jar=f"late-{number}") + "/ingest",
                                    {"url": "https://a.example/", "headers": [["Set-Cookie", "v=1"]]})
            answers.append((answer.status, answer.getheader("Retry-After"), time.monotonic() - began))

        with injected(service, "fdatasync", "delay_enter=10000000"):
            first = threading.Thread(target=service.put, args=("a", "2"))
            first.start()
            time.sleep(0.5)
            others = [threading.Thread(target=write, args=(number,)) for number in range(8)]
            for other in others:
                other.start()
            for other in others:
                other.join()
            # Reads from memory go on meanwhile.
            assert service.call("GET", STORE.format(jar="a") + "/cookies")[0] == 200
            first.join()
        for status, after, taken in answers:
            assert status == 503 and after, (status, after)
            assert 4.5 < taken < 8, taken
        assert service.kept["a"] == "2"
        service.audit()
        for number in range(8):
            status, body = service.call("GET", STORE.format(jar=f"late-{number}") + "/cookies")
            assert status == 200 and b'"cookies":[]' in body, body
        assert service.put("late-0", "2") == 200
        check_restarted(service)
        print(f"    503 after {min(one[2] for one in answers):.1f} to {max(one[2] for one in answers):.1f} s")


CHECKS = [full_disk, full_ext4, no_inodes, no_ext4_inodes, another_user, backup_on_full_disk, file_size_limit, read_only_start,
          read_only_while_running, read_only_for_a_while, foreign_lock, one_failed_sync, every_sync_fails,
          every_call_fails, killed_migration, slow_disk, stuck_disk]


if __name__ == "__main__":
    sys.exit(run(CHECKS))
