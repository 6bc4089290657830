# SPDX-License-Identifier: Apache-2.0
"""Large exports whose readers hardly read (R45)."""

import json
import pathlib
import socket
import threading
import time

from harness import MEBIBYTE, expect, read_all, say, service, until
from slow import is_gone

EXPORT = f"{service.STORE}/export?format=netscape"
READERS, COOKIES, PER_DOMAIN = 32, 2550, 150
VALUE = "v" * 3300


def fill(port, store=service.STORE):
    """Eight MiB of cookies, 150 of a domain."""
    for domain in range(COOKIES // PER_DOMAIN):
        lines = [["Set-Cookie", f"c{number}={VALUE}; Max-Age=864000"] for number in range(PER_DOMAIN)]
        body = json.dumps({"url": f"https://www.host{domain}.example/", "headers": lines})
        status, answer = service.call(port, "POST", f"{store}/ingest", body, timeout=60)
        expect(status == 200 and b'"rejected"' not in answer, f"a fill was answered {status}: {answer[:200]}")


def slow_exports(binary, work, short):
    """32 exports of 8 MiB, each read at an octet a second into a buffer of 2 kB."""
    deadline = 5 if short else 30
    data = work / "exports"
    with service.Service(binary, data, "--response-timeout", f"{deadline}s") as server:
        fill(server.port)
        whole = len(read_whole(server.port))
        expect(whole >= 8 * MEBIBYTE, f"an export has only {whole} octets")
        # What one export leaves behind stays for the next.
        resident = service.resident_bytes(server.pid)
        readers = [Reader(server.port) for _ in range(READERS)]
        until(lambda: len(waiting(server.port)) == READERS or any(reader.life for reader in readers), 60, "they do not begin")
        queued, grown = waiting(server.port), service.resident_bytes(server.pid) - resident
        # 24 MiB of writes and as much to fold: a log that a reader pins would keep them all.
        for number in range(3):
            fill(server.port, f"/v1/tenants/acme/jars/other-{number}/stores/native")
        log = (data / "tenants/acme/jar.sqlite-wal").stat().st_size
        for reader in readers:
            reader.join()
        lives = sorted(reader.life for reader in readers)
        say(f"{READERS} exports of {whole / MEBIBYTE:.1f} MiB: RSS +{grown / READERS / 1024:.0f} KiB each, the system holds "
            f"{max(queued, default=0) / 1024:.0f} KiB for one at most; log {log / MEBIBYTE:.1f} MiB; cut after "
            f"{lives[0]:.1f} to {lives[-1]:.1f} s of {deadline}")
        expect(len(queued) == READERS, f"{len(queued)} exports are under way")
        expect(grown <= READERS * (256 << 10), "more than 256 KiB are kept for a reader")
        expect(log <= 16 * MEBIBYTE, "something keeps the log from being folded")
        expect(deadline - 1 <= lives[0] and lives[-1] <= deadline + 10, "a reader was not cut at its deadline")
        expect(service.call(server.port, "GET", "/healthz")[0] == 200, "it does not answer any more")


def read_whole(port):
    with socket.create_connection(("127.0.0.1", port)) as peer:
        peer.sendall(service.request(port, EXPORT)[:-2] + b"Connection: close\r\n\r\n")
        return read_all(peer, 60)


class Reader(threading.Thread):
    """Takes an octet a second, and notes when the service has had enough."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.peer = socket.socket()
        self.peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        self.peer.connect(("127.0.0.1", port))
        self.peer.sendall(service.request(port, EXPORT))
        self.began, self.life = time.monotonic(), 0
        self.start()

    def run(self):
        turn = 0
        while not is_gone(self.peer) and time.monotonic() - self.began < 120:
            time.sleep(0.1)
            turn += 1
            try:
                if turn % 10 == 0:
                    self.peer.recv(1)
            except OSError:
                break
        self.life = time.monotonic() - self.began
        self.peer.close()


def waiting(port):
    """What the system holds of the answers of those connections that it holds anything of, in octets."""
    queues = []
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[1].split(":")[1], 16) == port and fields[3] == "01":
            queues.append(int(fields[4].split(":")[0], 16))
    return [queue for queue in queues if queue]


SCENARIOS = {"slow-exports": slow_exports}
REQUIRES = {}
