# SPDX-License-Identifier: Apache-2.0
"""Answers that are given again, while the jars that they are of change, are deleted, and leave memory."""

import json
import re
import socket
import threading
import time

from harness import expect, say, service

OWNERS, CONNECTIONS, QUERY = 8, 4, "cookie-header?url=https://www.example.com/"


class Client:
    """One connection that is kept."""

    def __init__(self, port):
        self.port = port
        self.peer = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.unread = b""

    def call(self, method, target, body=None):
        content = json.dumps(body).encode() if body is not None else b""
        kind = b"Content-Type: application/json\r\n" if body is not None else b""
        self.peer.sendall(
            f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Length: {len(content)}\r\n".encode()
            + kind + b"\r\n" + content)
        while b"\r\n\r\n" not in self.unread:
            self.receive()
        head, _, self.unread = self.unread.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        length = int(length[1]) if length else 0
        while len(self.unread) < length:
            self.receive()
        answer, self.unread = self.unread[:length], self.unread[length:]
        return int(head.split()[1]), answer

    def receive(self):
        received = self.peer.recv(65536)
        if not received:
            raise OSError("the connection was closed")
        self.unread += received


class Worker(threading.Thread):
    """Repeats its turn until the time is over, and keeps what went wrong."""

    def __init__(self, end):
        super().__init__(daemon=True)
        self.end, self.turns, self.failure = end, 0, None

    def run(self):
        try:
            while time.monotonic() < self.end and self.failure is None:
                self.turns += 1
                self.turn()
        except (OSError, ValueError) as error:
            self.failure = str(error)

    def expect(self, condition, what):
        if not condition:
            self.failure = self.failure or what


class Owner(Worker):
    """Changes a jar that nobody else writes to, and asks on every connection for just what it has written."""

    def __init__(self, port, number, end):
        super().__init__(end)
        self.clients = [Client(port) for _ in range(CONNECTIONS)]
        self.jar = f"/v1/tenants/acme/jars/own-{number}"

    def turn(self):
        writer = self.clients[self.turns % CONNECTIONS]
        value = f"sid={self.turns}"
        if self.turns % 7 == 0:
            status, value = writer.call("DELETE", f"{self.jar}/stores/native/cookies?all=true")[0], ""
        elif self.turns % 11 == 0:
            status, value = writer.call("DELETE", self.jar)[0], ""
        else:
            status = writer.call("POST", f"{self.jar}/stores/native/ingest", {
                "url": "https://www.example.com/", "headers": [["Set-Cookie", f"{value}; Max-Age=900"]]})[0]
        self.expect(status in (200, 204), f"a write was answered {status}")
        for client in self.clients * 3:
            status, answer = client.call("GET", f"{self.jar}/stores/native/{QUERY}")
            self.expect(status == 200, f"a read was answered {status}")
            told = json.loads(answer)["cookie"]
            self.expect(told == value, f"{value or 'nothing'} was written, and {told or 'nothing'} was told")


class Counter(Worker):
    """Raises the number in a jar's cookie."""

    def __init__(self, port, end):
        super().__init__(end)
        self.client, self.acknowledged = Client(port), 0

    def turn(self):
        status, _ = self.client.call("POST", "/v1/tenants/acme/jars/shared/stores/native/ingest", {
            "url": "https://www.example.com/", "headers": [["Set-Cookie", f"n={self.turns}; Max-Age=900"]]})
        self.expect(status == 200, f"a write was answered {status}")
        self.acknowledged = self.turns


class Reader(Worker):
    """Never sees less than was acknowledged before it asked."""

    def __init__(self, port, end, counter):
        super().__init__(end)
        self.client, self.counter = Client(port), counter

    def turn(self):
        before = self.counter.acknowledged
        status, answer = self.client.call("GET", f"/v1/tenants/acme/jars/shared/stores/native/{QUERY}")
        told = json.loads(answer)["cookie"] if status == 200 else f"status {status}"
        self.expect(before == 0 or told.startswith("n=") and int(told[2:]) >= before,
                    f"{before} was acknowledged, and {told} was told")


class Filler(Worker):
    """Writes to ever new jars, so that others leave memory."""

    def __init__(self, port, end):
        super().__init__(end)
        self.client = Client(port)

    def turn(self):
        lines = [["Set-Cookie", f"c{number}={'v' * 3000}; Max-Age=900"] for number in range(40)]
        self.client.call("POST", f"/v1/tenants/acme/jars/fill-{self.turns}/stores/native/ingest",
                         {"url": "https://www.example.com/", "headers": lines})


def figure(port, name):
    text = service.call(port, "GET", "/metrics")[1].decode()
    return int(re.search(rf"^{name} (\d+)", text, re.M)[1])


def fresh_answers(binary, work, short):
    """Every read shows every write that was acknowledged before it, on all loops."""
    with service.Service(binary, work / "answers", "--loops", "2", "--cache-bytes", "1MiB") as server:
        end = time.monotonic() + (4 if short else 60)
        counter = Counter(server.port, end)
        workers = [Owner(server.port, number, end) for number in range(OWNERS)]
        workers += [counter, Filler(server.port, end)] + [Reader(server.port, end, counter) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        repeated = figure(server.port, "cookiesync_repeated_answers_total")
        evicted = figure(server.port, "cookiesync_cache_evictions_total")
        say(f"{sum(worker.turns for worker in workers[:OWNERS])} changes of own jars, {counter.turns} of a shared one; "
            f"{repeated} answers were given again, {evicted} jars left memory")
        for worker in workers:
            expect(worker.failure is None, worker.failure)
        expect(repeated > 100 and evicted > 10, "nothing was put to the test")


SCENARIOS = {"fresh-answers": fresh_answers}
REQUIRES = {}
