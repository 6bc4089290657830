# SPDX-License-Identifier: Apache-2.0
"""What the stress scenarios share: a probe that keeps asking, crowds of connections, and how a scenario is judged."""

import pathlib
import resource
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Benchmarks"))

import service  # noqa: E402  (the path has to be known first)

MEBIBYTE = 1 << 20


class Failed(Exception):
    """A scenario did not hold."""


def expect(condition, what):
    if not condition:
        raise Failed(what)


def say(text):
    print(f"    {text}", flush=True)


def raise_descriptor_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def quantile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


class Probe(threading.Thread):
    """Asks for a path on one connection until it is left, and notes how long each answer takes."""

    def __init__(self, port, target="/healthz", pause=0.02, status=b"200"):
        super().__init__(daemon=True)
        self.request, self.pause, self.status = service.request(port, target), pause, status
        self.peer = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.times, self.failure, self.ends = [], None, threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.join()
        self.peer.close()

    def run(self):
        try:
            while not self.ends.wait(self.pause):
                began = time.monotonic()
                self.peer.sendall(self.request)
                answer = self.peer.recv(65536)
                self.times.append(time.monotonic() - began)
                if not answer.startswith(b"HTTP/1.1 " + self.status):
                    self.failure = answer[:80]
                    return
        except OSError as error:
            self.failure = error

    def p99(self):
        expect(self.failure is None, f"the probe failed: {self.failure}")
        return quantile(self.times, 0.99)


class Crowd:
    """Many connections; `with` closes them. From fifty addresses, so that the cap per address stays in force."""

    def __init__(self, port, count, addresses=50, first=b""):
        self.peers = []
        for number in range(count):
            peer = socket.socket()
            peer.bind((f"127.0.0.{1 + number % addresses}", 0))
            peer.connect(("127.0.0.1", port))
            if first:
                peer.sendall(first)
            self.peers.append(peer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for peer in self.peers:
            peer.close()


def until(condition, seconds, what):
    """Waits for a condition and answers how long that took."""
    began = time.monotonic()
    while not condition():
        expect(time.monotonic() - began < seconds, what)
        time.sleep(0.02)
    return time.monotonic() - began


def put(port, number):
    """One durable write; answers how long it took."""
    body = ('{"url":"https://www.example.com/","headers":[["Set-Cookie","n%d=%d; Max-Age=3600"]]}' % (number % 20, number))
    began = time.monotonic()
    status, answer = service.call(port, "POST", f"{service.STORE}/ingest", body)
    expect(status == 200, f"a write was answered {status}: {answer[:200]}")
    return time.monotonic() - began


def read_all(peer, seconds=15):
    """What a peer sends until it closes."""
    peer.settimeout(seconds)
    answer = b""
    try:
        while piece := peer.recv(65536):
            answer += piece
    except ConnectionResetError:
        pass
    return answer
