# SPDX-License-Identifier: Apache-2.0
"""A service behind an admin token, talked to over sockets of one's own, and how tokens are made up."""

import binascii
import json
import os
import re
import secrets
import signal
import socket
import string
import subprocess
import time

DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase
ADMIN = "an-admin-token-of-a-test-" + secrets.token_hex(8)
COOKIE = {"name": "sid", "value": "1", "domain": "a.example"}


class Failed(Exception):
    """A scenario did not hold."""


class Skipped(Exception):
    """A scenario cannot run here."""


def expect(condition, what):
    if not condition:
        raise Failed(what)


def say(text):
    print(f"    {text}", flush=True)


def digits(count):
    return "".join(secrets.choice(DIGITS) for _ in range(count))


def token(identifier, secret):
    """A token in its form, with a checksum that is right: only the service can tell that nobody made it."""
    text = f"csk_tenant_{identifier}_{secret}"
    rest, checksum = binascii.crc32(text.encode()), ""
    for _ in range(6):
        rest, digit = divmod(rest, 62)
        checksum = DIGITS[digit] + checksum
    return f"{text}_{checksum}"


class Peer:
    """One connection, and another one after an answer that ends it; each answer is read whole."""

    def __init__(self, port, source="127.0.0.1"):
        self.port, self.source = port, source
        self.connect()

    def connect(self):
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=30, source_address=(self.source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer, self.is_over = b"", False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def ask(self, method, target, credential=None, body=None, fields=()):
        """Sends a request; answers the status, the fields as text, and the body."""
        if self.is_over:
            self.socket.close()
            self.connect()
        self.socket.sendall(request(method, target, credential, body, fields))
        return self.read()

    def read(self):
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        length = int(found[1]) if found else 0
        while len(self.buffer) < length:
            self.fill()
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        self.is_over = b"\r\nconnection: close" in head.lower()
        return int(head[9:12]), head.decode("latin-1"), body

    def fill(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise ConnectionError("the service closed the connection")
        self.buffer += piece


def request(method, target, credential=None, body=None, fields=()):
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", *fields]
    if credential:
        lines.append(f"Authorization: Bearer {credential}")
    content = b""
    if body is not None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    return "\r\n".join([*lines, "", ""]).encode() + content


class Closed:
    """The service, with an admin token; `with` ends it and holds it to exit status 0."""

    def __init__(self, binary, work, *options, environment=None):
        self.folder, self.data = work, work / "data"
        admin = work / "admin-token"
        admin.write_text(ADMIN + "\n", encoding="ascii")
        admin.chmod(0o600)
        self.settings = ["--data-dir", self.data, "--admin-token-file", admin]
        self.log = open(work / "log", "ab")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("COOKIESYNC_")}
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--log-format", "json", *self.settings, *options],
            stdout=self.log, stderr=subprocess.STDOUT, env={**inherited, **(environment or {})})
        deadline = time.monotonic() + 30
        while not (found := re.search(rb'"event":"listen".*?"port":(\d+)', (work / "log").read_bytes())):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"the service did not start: {(work / 'log').read_text()[-400:]}")
            time.sleep(0.02)
        self.port = int(found[1])

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=30)
        self.log.close()
        if kind is None:
            expect(code == 0, f"the service ended with {code}")

    def ask(self, *arguments, **options):
        with Peer(self.port) as peer:
            return peer.ask(*arguments, **options)

    def tenant(self, name, **limits):
        status, _, body = self.ask("PUT", f"/v1/tenants/{name}", ADMIN, {"limits": limits} if limits else {})
        expect(status in (200, 201), f"a tenant was answered {status}: {body[:200]}")

    def mint(self, tenant, scopes, **members):
        """A new token of a tenant: its id and its text."""
        body = {"name": "test", "scopes": scopes.split(), **members}
        status, _, body = self.ask("POST", f"/v1/tenants/{tenant}/tokens", ADMIN, body)
        expect(status == 201, f"a token was answered {status}: {body[:200]}")
        made = json.loads(body)
        return made["id"], made["token"]

    def audit_lines(self):
        return [json.loads(line) for line in (self.data / "audit.log").read_text().splitlines()]
