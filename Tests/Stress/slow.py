# SPDX-License-Identifier: Apache-2.0
"""Peers that are slow on purpose (R44), and ten thousand that do nothing (R14)."""

import pathlib
import shutil
import subprocess
import socket
import statistics
import threading
import time

from harness import (
    MEBIBYTE, Crowd, Probe, expect, put, quantile, raise_descriptor_limit, say, service, until)

# How each mode of slowhttptest is called, and by when the service cuts such a peer: 10 s for a head; 5 s of grace for a
# body below 1 kB/s; 30 s without progress for a reader.
MODES = {
    "slow-heads": (("-H", "-i", "3", "-t", "GET"), "/healthz", 10),
    "slow-bodies": (("-B", "-i", "3", "-s", "8192", "-f", "application/json", "-t", "POST"), f"{service.STORE}/ingest", 5),
    "slow-readers": (("-X", "-w", "10", "-y", "20", "-n", "5", "-z", "32", "-k", "3"), "/openapi.yaml", 30),
}
MARGIN = 2


def slow(mode, binary, work, short):
    options, target, deadline = MODES[mode]
    count, rate = (400, 200) if short else (4000, 500)
    lasting = count // rate + deadline + 10
    with service.Service(binary, work / mode, "--connections-per-address", "8000") as server:
        service.prepare_store(server.port)
        descriptors, resident = service.descriptors(server.pid), service.resident_bytes(server.pid)
        began, waited = time.monotonic(), waiting_nanoseconds(server.pid)
        with Probe(server.port) as probe, Watch(server.pid) as watch:
            attack = subprocess.Popen(
                ["slowhttptest", *options, "-c", str(count), "-r", str(rate), "-l", str(lasting), "-p", "5",
                 "-u", f"http://127.0.0.1:{server.port}{target}"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            life = life_of_one(mode, server.port, target, deadline)
            attack.wait()
            until(lambda: service.descriptors(server.pid) <= descriptors + 2, 40, "connections are left open")
        # What it is late by on a machine that others keep busy is not the attack's doing.
        waited = (waiting_nanoseconds(server.pid) - waited) / 1e9 / (time.monotonic() - began)
        grown = (watch.resident - resident) / MEBIBYTE
        say(f"{mode}: up to {watch.descriptors - descriptors} connections, /healthz p99 {probe.p99() * 1000:.1f} ms of "
            f"{len(probe.times)}, {waited * 100:.1f} % of the time waiting for a processor, RSS +{grown:.1f} MiB, one peer cut after {life:.1f} s of {deadline}")
        # Those that came first are cut before the last have come.
        expect(watch.descriptors - descriptors >= min(count, rate * deadline) * 0.3, "the attack did not get through")
        expect(probe.p99() < 0.1 or waited > 0.05, "/healthz p99 is not below 100 ms, and the machine is not to blame")
        expect(grown <= 64, "RSS has grown by more than 64 MiB")
        expect(deadline - 1 <= life <= deadline + MARGIN, "a slow peer was not cut at its deadline")


def waiting_nanoseconds(pid):
    """For how long its threads could have run, and had no processor."""
    return sum(int(task.read_text().split()[1]) for task in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"))


def life_of_one(mode, port, target, deadline):
    """How long the service bears with one slow peer of our own."""
    with socket.socket() as peer:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        peer.connect(("127.0.0.1", port))
        began = time.monotonic()
        peer.settimeout(1)
        if mode == "slow-heads":
            send = [b"GET / HTTP/1.1\r\nHost: x\r\n"] + [b"X-A: b\r\n"] * 100
        elif mode == "slow-bodies":
            send = [f"POST {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                    f"Content-Length: 8192\r\n\r\n".encode()] + [b" "] * 100
        else:
            peer.sendall(service.request(port, target) * 64)
            return until(lambda: is_gone(peer), deadline + 10, "a reader that does not read is not cut")
        for piece in send:
            try:
                peer.sendall(piece)
                if peer.recv(1024):
                    return time.monotonic() - began
            except TimeoutError:
                continue
            except OSError:
                break
        return time.monotonic() - began


def is_gone(peer):
    """Whether the other side has reset or closed, without taking what it has sent."""
    state = peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
    return state != 1


class Watch(threading.Thread):
    """Notes the most descriptors and memory that a process has had."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.descriptors, self.resident, self.ends = pid, 0, 0, threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.join()

    def run(self):
        while not self.ends.wait(0.1):
            self.descriptors = max(self.descriptors, service.descriptors(self.pid))
            self.resident = max(self.resident, service.resident_bytes(self.pid))


def idle(binary, work, short):
    count, pairs, writes = (1000, 2, 100) if short else (10_000, 5, 300)
    raise_descriptor_limit()
    with service.Service(binary, work / "idle", "--idle-timeout", "10m", "--header-timeout", "1m") as server:
        service.prepare_store(server.port)
        measure(server.port, 50)
        ratios, resident = [], service.resident_bytes(server.pid)
        for _ in range(pairs):
            quiet = measure(server.port, writes)
            with Crowd(server.port, count, first=service.request(server.port, "/healthz")) as crowd:
                for peer in crowd.peers:
                    peer.recv(4096)
                crowded = measure(server.port, writes)
                with Probe(server.port, pause=0.001) as probe:
                    time.sleep(1)
                grown = (service.resident_bytes(server.pid) - resident) / MEBIBYTE
            ratios.append(crowded / quiet)
            say(f"{count} idle: PUT p99 {quiet * 1000:.2f} -> {crowded * 1000:.2f} ms, /healthz p99 "
                f"{probe.p99() * 1000:.2f} ms, RSS +{grown:.1f} MiB")
            expect(grown <= 100, "RSS has grown by more than 100 MiB")
            expect(probe.p99() < 0.05, "/healthz p99 is not below 50 ms")
        say(f"median of the ratios {statistics.median(ratios):.2f}")
        expect(statistics.median(ratios) <= 1.5, "PUT p99 is above 1.5 times that of a quiet service")


def measure(port, writes):
    return quantile([put(port, number) for number in range(writes)], 0.99)


SCENARIOS = {
    **{mode: (lambda binary, work, short, mode=mode: slow(mode, binary, work, short)) for mode in MODES},
    "idle": idle,
}
REQUIRES = {mode: shutil.which("slowhttptest") for mode in MODES}
