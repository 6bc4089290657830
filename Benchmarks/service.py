# SPDX-License-Identifier: Apache-2.0
"""The service as a child process with a store to ask about, and what the system says of a process."""

import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
from urllib.parse import quote

STORE = "/v1/tenants/acme/jars/alice/stores/native"
PAGE = "https://www.example.com/account/orders?page=1"
TARGET = f"{STORE}/cookie-header?url={quote(PAGE, safe='')}"


class Service:
    """A running service; `with` ends it."""

    def __init__(self, binary, data, *options, under=()):
        self.port = free_port()
        command = [*under, binary, "serve", "--port", str(self.port), "--data-dir", str(data), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wait_for(self.port, seconds=60)

    @property
    def pid(self):
        return self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def prepare_store(port, token=None):
    """Twenty cookies, four of which go to the page."""
    domains = ["www.example.com"] * 4 + [f"host{number}.example.org" for number in range(16)]
    for number, domain in enumerate(domains):
        ingest(port, STORE, domain, f"cookie{number}={'v' * 24}{number:02d}", token)


def make_token(port, admin):
    """A token for everything that the store's tenant has."""
    assert call(port, "PUT", "/v1/tenants/acme", token=admin)[0] == 201
    status, answer = call(
        port, "POST", "/v1/tenants/acme/tokens", json.dumps({"name": "bench", "scopes": ["read", "write", "values"]}),
        token=admin)
    assert status == 201, (status, answer)
    return json.loads(answer)["token"]


def ingest(port, store, domain, pair, token=None):
    cookie = f"{pair}; Path=/; Secure; HttpOnly; Max-Age=864000"
    status, answer = call(
        port, "POST", f"{store}/ingest",
        json.dumps({"url": f"https://{domain}/", "headers": [["Set-Cookie", cookie]]}), token=token)
    assert status == 200 and b'"rejected"' not in answer, (status, answer)


def sample(port, token=None):
    """The whole response as it is sent, and its body."""
    with socket.create_connection(("127.0.0.1", port)) as peer:
        peer.sendall(request(port, token=token))
        head, body = receive(peer)
    assert json.loads(body)["count"] == 4, body
    return head + b"\r\n\r\n" + body, body


def receive(peer):
    """The head and the body of the next response, which must be one of success."""
    response = b""
    while b"\r\n\r\n" not in response:
        response += peer.recv(65536)
    head, _, body = response.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), head
    length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
    while len(body) < length:
        body += peer.recv(65536)
    return head, body


def request(port, target=TARGET, token=None):
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    return f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{authorization}\r\n".encode()


def call(port, method, target, body=None, timeout=10, token=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        fields = {"Content-Type": "application/json"} if body else {}
        if token:
            fields["Authorization"] = f"Bearer {token}"
        connection.request(method, target, body, fields)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, seconds=20):
    deadline = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                sys.exit(f"nothing listens on port {port}")
            time.sleep(0.02)


# --- What the system says of a process -------------------------------------------------------------------


def cpu_nanoseconds(pid):
    """What the process, and the workers that it started, have used."""
    total = 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            if pid in (parent, int(stat.parent.name)):
                for task in stat.parent.glob("task/*/schedstat"):
                    total += int(task.read_text().split()[0])
        except OSError:
            continue
    return total


def resident_bytes(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) << 10


def descriptors(pid):
    return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))
