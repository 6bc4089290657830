# SPDX-License-Identifier: Apache-2.0
"""Ends: of the process while much is under way (R29, R30), of clients in the middle of an answer (R31)."""

import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import time

from harness import Crowd, expect, read_all, say, service, until

BODY = '{"url":"https://www.example.com/","headers":[["Set-Cookie","slow%d=1; Max-Age=3600"]]}'

STREAM = (b"GET /v1/tenants/acme/jars/alice/changes HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
          b"Accept: text/event-stream\r\n\r\n")


def drain(binary, work, short):
    """SIGTERM with 50 half-sent writes, 100 streams of events and 500 idle connections."""
    data = work / "drain"
    server = service.Service(binary, data, "--connections-per-address", "4096")
    service.prepare_store(server.port)
    writers = []
    for number in range(50):
        body = BODY % number
        peer = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        peer.sendall(head(server.port, body) + body[:-1].encode())
        writers.append(peer)
    streams = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(100)]
    for stream in streams:
        stream.sendall(STREAM % server.port)
        expect(b"\nretry: " in stream.recv(4096), "a stream of events does not begin")
    watcher = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    watcher.sendall(service.request(server.port, "/readyz")[:-2])
    with Crowd(server.port, 200 if short else 500, first=service.request(server.port, "/healthz")) as crowd:
        for peer in crowd.peers:
            peer.recv(4096)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        closed = until(lambda: not listens(server.port), 1, "the listener stays open")
        watcher.sendall(b"\r\n")
        ready = read_all(watcher)
        for peer in writers:
            peer.sendall(b"}")
        answers = [read_all(peer) for peer in writers]
        ends = [read_all(stream) for stream in streams]
        code = server.process.wait(15)
        took = time.monotonic() - began
    say(f"listener closed after {closed * 1000:.0f} ms, exit {code} after {took:.2f} s")
    expect(closed <= 0.1 or short, "the listener was not closed within 100 ms")
    expect(ready.startswith(b"HTTP/1.1 503 "), f"readiness said {ready[:40]} in the drain")
    expect(all(answer.startswith(b"HTTP/1.1 200 ") for answer in answers), "a request under way was not answered")
    expect(all(b"\r\nconnection: close\r\n" in answer.lower() for answer in answers), "an answer promises more")
    expect(all(b'event: end\ndata: {"reason":"drain","revision":' in end and end.endswith(b"0\r\n\r\n") for end in ends),
           "a stream of events did not end with where to go on")
    expect(code == 0 and took < 10, "it did not end with 0 within 10 s")
    with service.Service(binary, data) as again:
        names = stored(again.port)
        missing = {f"slow{number}" for number in range(50)} - names
        expect(not missing, f"acknowledged and not there: {missing}")


def deadline(binary, work, short):
    """A client that holds half a body for ever, and an impatient operator."""
    for second in (None, signal.SIGTERM, signal.SIGINT):
        # The body's own time-out would come first.
        server = service.Service(
            binary, work / f"deadline-{second}", "--body-grace", "1m", "--drain-timeout", "3s" if short else "10s")
        service.prepare_store(server.port)
        holder = socket.create_connection(("127.0.0.1", server.port))
        holder.sendall(head(server.port, BODY % 0) + b"{")
        until(lambda: service.call(server.port, "GET", "/healthz")[0] == 200, 5, "it does not answer")
        server.process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        if second:
            until(lambda: not listens(server.port), 1, "the listener stays open")
            server.process.send_signal(second)
        code = server.process.wait(20)
        took = time.monotonic() - began
        say(f"{'one signal' if second is None else 'then ' + second.name}: exit {code} after {took:.2f} s")
        if second is None:
            wanted = 3 if short else 10
            expect(code == 0 and wanted - 1 < took < wanted + 1.5, "the half body was not cut at the deadline")
        else:
            expect(code == 128 + second and took < 2, "the second signal was not obeyed at once")
        holder.close()
        with service.Service(binary, work / f"deadline-{second}") as again:
            expect(len(stored(again.port)) == 20, "something that was acknowledged is not there")


def resets(binary, work, short):
    """Clients that reset while they are answered, a thousand times; nobody reads the log."""
    count = 200 if short else 1000
    with service.Service(binary, work / "resets", "--connections-per-address", "4096") as server:
        service.prepare_store(server.port)
        service.call(server.port, "GET", "/openapi.yaml")
        # The first wait brings descriptors of timers, which stay.
        service.call(server.port, "GET", "/v1/tenants/acme/jars/alice/changes?since=20&wait=1")
        descriptors = service.descriptors(server.pid)
        requests = (service.request(server.port, "/openapi.yaml") * 8, service.request(server.port) * 64,
                    head(server.port, BODY % 1) + (BODY % 1).encode(), STREAM % server.port)
        chance = random.Random(7)
        for number in range(count):
            with socket.create_connection(("127.0.0.1", server.port)) as peer:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                peer.sendall(requests[number % len(requests)])
                time.sleep(chance.random() / 500)
        expect(server.process.poll() is None, "the process has died")
        until(lambda: service.descriptors(server.pid) <= descriptors + 1, 5, "descriptors are left open")
        expect(service.call(server.port, "GET", "/healthz")[0] == 200, "it does not answer any more")
    say(f"{count} resets, descriptors as before")


def closed_log(binary, work, short):
    """Whoever read the log has gone, and so has whoever read the errors."""
    for stream in ("stdout", "stderr"):
        reader, writer = os.pipe()
        port = service.free_port()
        process = subprocess.Popen(
            [binary, "serve", "--port", str(port), "--data-dir", str(work / stream), "--log-requests", "1"],
            **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: writer})
        os.close(writer)
        service.wait_for(port, 60)
        os.close(reader)
        service.prepare_store(port)
        for _ in range(200):
            expect(service.call(port, "GET", service.TARGET)[0] == 200, "a read was not answered")
        expect(process.poll() is None, "the process has died")
        process.send_signal(signal.SIGTERM)
        code = process.wait(15)
        expect(code == 0, f"it ended with {code}")
    say("200 answers without a reader of stdout, and of stderr; exit 0")


def stalled_log(binary, work, short):
    """Whoever reads the log stands still: nobody waits for it, and what is lost is counted."""
    port, (reader, writer) = service.free_port(), os.pipe()
    process = subprocess.Popen(
        [binary, "serve", "--port", str(port), "--data-dir", str(work / "stalled"), "--log-requests", "1"],
        stdout=writer)
    os.close(writer)
    service.wait_for(port, 60)
    service.prepare_store(port)
    slowest, batch = 0, 16
    with socket.create_connection(("127.0.0.1", port), timeout=10) as peer:
        # A line for each: more than the pipe and the queue hold.
        for _ in range(600 if short else 3000):
            began = time.monotonic()
            peer.sendall(service.request(port) * batch)
            answers = b""
            while answers.count(b"HTTP/1.1 200 ") < batch:
                piece = peer.recv(65536)
                expect(piece, "a read was not answered")
                answers += piece
            slowest = max(slowest, time.monotonic() - began)
    began = time.monotonic()
    for number in range(20):
        service.ingest(port, service.STORE, "www.example.com", f"more{number}=1")
    writes = (time.monotonic() - began) / 20
    metrics = service.call(port, "GET", "/metrics")[1]
    dropped = int(re.search(rb"(?m)^cookiesync_log_lines_dropped_total (\d+)", metrics)[1])
    process.send_signal(signal.SIGTERM)
    code = process.wait(15)
    os.close(reader)
    say(f"slowest sixteen reads {slowest * 1000:.1f} ms, a write takes {writes * 1000:.1f} ms, {dropped} lines lost, exit {code}")
    expect(dropped > 0, "nothing is said to be lost")
    expect(slowest < 1 and writes < 0.5, "somebody waits for the log")
    expect(code == 0, f"it ended with {code}")


def head(port, body):
    return (f"POST {service.STORE}/ingest HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode()


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def stored(port):
    _, answer = service.call(port, "GET", f"{service.STORE}/cookies?limit=500")
    return {cookie["name"] for cookie in json.loads(answer)["cookies"]}


SCENARIOS = {"drain": drain, "drain-deadline": deadline, "resets": resets, "closed-log": closed_log, "stalled-log": stalled_log}
REQUIRES = {}
