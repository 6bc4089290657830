# SPDX-License-Identifier: Apache-2.0
"""A process that runs out of something: descriptors (R13), memory (R15, R16), stack (R17)."""

import gzip
import json
import os
import pathlib
import resource
import socket
import threading
import time

import exports
from harness import MEBIBYTE, Probe, expect, put, read_all, say, service, until

CGROUP = pathlib.Path("/sys/fs/cgroup/memory")


def few_descriptors(binary, work, short):
    """Two hundred clients and 64 descriptors."""
    with service.Service(binary, work / "descriptors", under=("prlimit", "--nofile=64:64")) as server:
        service.prepare_store(server.port)
        with Probe(server.port) as probe:
            clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
            time.sleep(0.5)
            before = service.cpu_nanoseconds(server.pid)
            time.sleep(2)
            busy = (service.cpu_nanoseconds(server.pid) - before) / 2e9
            expect(probe.failure is None, f"the open connection is not served: {probe.failure}")
            answered = len(probe.times)
            expect(answered > 20, "the open connection is hardly served")
            for client in clients:
                client.close()
            back = until(lambda: answers(server.port), 2, "it is not back to normal 2 s after the clients have gone")
            put(server.port, 1)
        spinning = without_descriptors(server)
        say(f"{busy * 100:.1f} % of a processor while full, {spinning * 100:.1f} % with none at all, back after {back * 1000:.0f} ms, "
            f"/healthz p99 {probe.p99() * 1000:.1f} ms")
        expect(busy < 0.2 and spinning < 0.2, "accepting spins")


def without_descriptors(server):
    """What part of a processor it uses while clients wait and the system gives it no descriptor, not even for the spare one."""
    soft, hard = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
    clients = []
    try:
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (3, hard))
        for _ in range(20):
            clients.append(socket.create_connection(("127.0.0.1", server.port)))
        time.sleep(0.3)
        before = service.cpu_nanoseconds(server.pid)
        time.sleep(2)
        busy = (service.cpu_nanoseconds(server.pid) - before) / 2e9
    finally:
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (soft, hard))
        for client in clients:
            client.close()
    until(lambda: answers(server.port), 2, "it does not accept again when there are descriptors")
    return busy


def answers(port):
    try:
        return service.call(port, "GET", "/healthz", timeout=1)[0] == 200
    except OSError:
        return False


def little_memory(binary, work, short):
    """64 bodies of 1 MiB, 64 gzip bombs and 16 exports of 8 MiB at once, in 192 MiB where the system can hold us to that."""
    with Cgroup(192 * MEBIBYTE) as limit, service.Service(
            binary, work / "held", "--body-memory", "32MiB", "--connections-per-address", "4096", under=limit.prefix) as server:
        hold_bodies(server)
    with Cgroup(192 * MEBIBYTE) as limit, service.Service(binary, work / "memory", "--body-memory", "32MiB", under=limit.prefix) as server:
        service.prepare_store(server.port)
        exports.fill(server.port)
        resident = service.resident_bytes(server.pid)
        outcomes = []
        large = json.dumps({"url": "https://www.example.com/", "headers": [["X-Filler", "x" * (MEBIBYTE - 100)]]}).encode()
        bomb = gzip.compress(b" " * (512 * MEBIBYTE if not short else 64 * MEBIBYTE), 9)
        jobs = [lambda: outcomes.append(post(server.port, large, {}))] * 64
        jobs += [lambda: outcomes.append(post(server.port, bomb, {"Content-Encoding": "gzip"}))] * 64
        jobs += [lambda: outcomes.append(export(server.port))] * 16
        threads = [threading.Thread(target=job) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        expect(server.process.poll() is None, "the process was killed")
        put(server.port, 1)
        tally = {status: outcomes.count(status) for status in sorted(set(outcomes))}
        say(f"{limit.note}; answers {tally}, RSS {resident // MEBIBYTE} -> {service.resident_bytes(server.pid) // MEBIBYTE} MiB")
        expect(set(tally) <= {0, 200, 400, 413, 422, 503}, "an answer that was not to be expected")
        expect(tally.get(413, 0) + tally.get(503, 0) + tally.get(0, 0) >= 64, "the bombs were not shed")


def hold_bodies(server):
    """320 bodies that each want but their last octet: what is held of them at a time stays below the budget."""
    resident = service.resident_bytes(server.pid)
    piece = b" " * (MEBIBYTE - 2)
    head = (f"POST {service.STORE}/ingest HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {MEBIBYTE - 1}\r\n\r\n").encode()
    grown, peers = 0, []
    try:
        for _ in range(320):
            peer = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            peers.append(peer)
            try:
                peer.sendall(head + piece)
            except OSError:
                pass  # It was shed.
            grown = max(grown, service.resident_bytes(server.pid) - resident)
        shed = sum(read_some(peer).startswith(b"HTTP/1.1 503 ") for peer in peers)
    finally:
        for peer in peers:
            peer.close()
    say(f"320 bodies held back by an octet: {shed} shed, RSS +{grown / MEBIBYTE:.0f} MiB with a budget of 32")
    expect(grown <= 96 * MEBIBYTE, "the budget for bodies is not held")
    expect(shed >= 200, "too few were shed")


def read_some(peer):
    """What is there already."""
    peer.settimeout(0.05)
    try:
        return peer.recv(4096)
    except OSError:
        return b""


def export(port):
    """The status of an export that came whole; 0 where it did not."""
    answer = exports.read_whole(port)
    return int(answer[9:12]) if answer.endswith(b"0\r\n\r\n") or not answer.startswith(b"HTTP/1.1 200") else 0


def post(port, body, fields):
    """The status of the answer; 0 where the connection was closed while the body was sent."""
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as peer:
            peer.sendall(
                f"POST {service.STORE}/ingest HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                f"Connection: close\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            answer = read_all(peer, 30)
            return int(answer[9:12]) if answer else 0
    except ConnectionError:
        return 0


class Cgroup:
    """A bound on memory by the system, where we may set one."""

    def __init__(self, limit):
        self.path = CGROUP / f"cookiesync-stress-{os.getpid()}"
        self.prefix, self.note = (), "without a cgroup, which this system does not let us make"
        try:
            self.path.mkdir()
            (self.path / "memory.limit_in_bytes").write_text(str(limit))
        except OSError:
            return
        self.prefix = ("sh", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$@"', "sh")
        self.note = f"in a cgroup of {limit // MEBIBYTE} MiB"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.prefix:
            until(lambda: not (self.path / "cgroup.procs").read_text(), 5, "the cgroup is not empty")
            self.path.rmdir()


def little_address_space(binary, work, short):
    """600 MB of addresses: an allocation that fails may end the process, never what it has acknowledged."""
    data = work / "addresses"
    acknowledged = 0
    server = service.Service(binary, data, under=("prlimit", f"--as={600 * 1000 * 1000}"))
    try:
        service.prepare_store(server.port)
        body = json.dumps({"url": "https://www.example.com/", "headers": [["X-Filler", "x" * (MEBIBYTE - 100)]]}).encode()
        threads = [threading.Thread(target=post, args=(server.port, body, {})) for _ in range(200)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            try:
                put(server.port, acknowledged % 20)
                acknowledged += 1
            except OSError:
                break
        for thread in threads:
            thread.join()
        lived = server.process.poll() is None
    finally:
        server.process.kill()
        server.process.wait()
    with service.Service(binary, data) as again:
        status, answer = service.call(again.port, "GET", f"{service.STORE}/cookies?limit=500")
        names = {cookie["name"] for cookie in json.loads(answer)["cookies"]}
        expect(status == 200, f"a list was answered {status}")
        wanted = {f"n{number}" for number in range(min(acknowledged, 20))}
        expect(wanted <= names, f"acknowledged and not there: {wanted - names}")
    say(f"{acknowledged} writes acknowledged, all there after a restart; the process {'lived' if lived else 'died'}")


def small_stack(binary, work, short):
    """JSON nested 33, 512 and 100 000 deep on every route that takes JSON, with thread stacks of 512 KiB."""
    routes = [("POST", f"{service.STORE}/{name}") for name in ("ingest", "cookie-header", "rewrite-domain")]
    routes += [("PUT", f"{service.STORE}/cookies"), ("POST", f"{service.STORE.rpartition('/stores')[0]}/sync")]
    documents = [opening * depth for depth in (33, 512, 100_000) for opening in ("[", '{"a":')]
    with service.Service(
            binary, work / "stack", "--loops", "2", under=("prlimit", f"--stack={512 << 10}")) as server:
        service.prepare_store(server.port)
        for method, target in routes * 4:
            for document in documents:
                status, _ = service.call(server.port, method, target, document)
                expect(status == 400, f"{method} {target} answered {status} to nesting")
        expect(server.process.poll() is None, "the process has died")
        put(server.port, 1)
    say(f"{len(routes) * 4 * len(documents)} documents refused")


SCENARIOS = {
    "few-descriptors": few_descriptors,
    "little-memory": little_memory,
    "little-address-space": little_address_space,
    "small-stack": small_stack,
}
REQUIRES = {}
