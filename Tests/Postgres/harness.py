# SPDX-License-Identifier: Apache-2.0
"""A private PostgreSQL server, nodes of cookiesync on it, a proxy that can fail, and clients that keep a record of what was
acknowledged."""

import http.client
import json
import os
import pathlib
import random
import re
import select
import shutil
import socket
import subprocess
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(condition, seconds, what):
    """Waits until the condition holds; answers how long that took."""
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > seconds:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.02)
    return time.monotonic() - start


class Postgres:
    """A server in a directory of its own."""

    def __init__(self, *settings, directory=None, fsync="on"):
        self.directory = directory or tempfile.mkdtemp(prefix="cookiesync-pg-", dir="/tmp")
        self.port = free_port()
        self.environment = {**os.environ, "FSYNC": fsync}
        self.start(*settings)

    def script(self, *arguments):
        return subprocess.run(
            [HERE / "server", *map(str, arguments)], env=self.environment, check=True,
            stdout=subprocess.PIPE, text=True).stdout

    def start(self, *settings):
        self.script("start", self.directory, self.port, *settings)

    def stop(self, mode="fast"):
        self.script("stop", self.directory, mode)

    def remove(self):
        try:
            self.stop("immediate")
        except subprocess.CalledProcessError:
            pass  # It was not running.
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def address(self):
        return "127.0.0.1"

    def sql(self, text, database="postgres"):
        return subprocess.run(
            ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", self.address, "-p", str(self.port), "-U",
             "postgres", "-c", text, database],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()

    def make_database(self):
        self.sql("CREATE ROLE app LOGIN")
        self.sql("CREATE DATABASE app OWNER app")

    def info(self, port=None):
        return f"host=127.0.0.1 port={port or self.port} user=app dbname=app"


class Apart(Postgres):
    """A server in a network namespace of its own, behind a pair of virtual devices whose packets can be dropped."""

    HERE, THERE = "10.213.77.1", "10.213.77.2"

    def __init__(self, *settings):
        self.name = f"cookiesync-{os.getpid()}"
        run("ip", "netns", "add", self.name)
        try:
            run("ip", "link", "add", "cookiesync-pg", "type", "veth", "peer", "name", "eth0", "netns", self.name)
            run("ip", "addr", "add", f"{self.HERE}/30", "dev", "cookiesync-pg")
            run("ip", "link", "set", "cookiesync-pg", "up")
            self.inside("ip", "addr", "add", f"{self.THERE}/30", "dev", "eth0")
            for device in ("lo", "eth0"):
                self.inside("ip", "link", "set", device, "up")
            super().__init__("listen_addresses = '*'", *settings)
            rules = pathlib.Path(self.directory) / "data/pg_hba.conf"
            rules.write_text(rules.read_text() + f"host all all {self.HERE}/32 trust\n")
            self.sql("SELECT pg_reload_conf()")
        except BaseException:
            self.leave()
            raise

    def inside(self, *command):
        run("ip", "netns", "exec", self.name, *command)

    def script(self, *arguments):
        return subprocess.run(
            ["ip", "netns", "exec", self.name, HERE / "server", *map(str, arguments)], env=self.environment, check=True,
            stdout=subprocess.PIPE, text=True).stdout

    @property
    def address(self):
        return self.directory  # Its socket: a namespace of networks does not hide files.

    def info(self, port=None):
        return f"host={self.THERE} port={self.port} user=app dbname=app"

    def drop_packets(self):
        """From now on, silently, in both directions."""
        for chain in ("INPUT", "OUTPUT"):
            self.inside("iptables", "-A", chain, "-i" if chain == "INPUT" else "-o", "eth0", "-j", "DROP")

    def pass_packets(self):
        self.inside("iptables", "-F")

    def remove(self):
        super().remove()
        self.leave()

    def leave(self):
        subprocess.run(["ip", "netns", "del", self.name], check=False)
        subprocess.run(["ip", "link", "del", "cookiesync-pg"], check=False, stderr=subprocess.DEVNULL)


def can_be_apart():
    """Whether this system lets us make namespaces and drop packets in them."""
    if os.getuid() != 0 or not all(map(shutil.which, ("ip", "iptables"))):
        return False
    return subprocess.run(["unshare", "--net", "iptables", "-L"], capture_output=True, check=False).returncode == 0


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class Node:
    """A process of cookiesync."""

    # What is sent with every request.
    fields = {}

    def __init__(self, binary, storage, *arguments, environment=None):
        # It may hold a password, which a command line must not.
        named = {"COOKIESYNC_STORAGE": storage} if storage else {}
        self.process = subprocess.Popen(
            [binary, "serve", "--log-format", "json",
             *([] if "--port" in arguments else ["--port", "0"]), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **named, **(environment or {})})
        self.lines = []
        self.port = None
        started = threading.Event()

        def read():
            for line in self.process.stdout:
                self.lines.append(line.decode(errors="replace"))
                try:
                    event = json.loads(line)
                except ValueError:
                    continue
                if "port" in event and self.port is None:
                    self.port = int(event["port"])
                    started.set()
            started.set()

        threading.Thread(target=read, daemon=True).start()
        started.wait(20)
        if self.port is None:
            raise AssertionError("the node does not start: " + "".join(self.lines[-5:]))

    def ask(self, method, path, body=None, headers=None, timeout=20):
        """One request on a connection of its own: status, headers, document."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            return exchange(connection, method, path, body, {**self.fields, **(headers or {})})
        finally:
            connection.close()

    def is_ready(self):
        return self.ask("GET", "/readyz")[0] == 200

    def slowest(self, since=0):
        """The longest that an answer has taken by its own account, in seconds: clients of a busy machine are late themselves."""
        found = (re.search(r'"duration_ms":([0-9.]+)', line) for line in self.lines[since:])
        return max((float(one[1]) / 1000 for one in found if one), default=0)

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


def exchange(connection, method, path, body=None, headers=None):
    text = None if body is None else json.dumps(body)
    fields = {**({} if body is None else {"Content-Type": "application/json"}), **(headers or {})}
    connection.request(method, path, text, fields)
    answer = connection.getresponse()
    content = answer.read()
    try:
        document = json.loads(content)
    except ValueError:
        document = None
    return answer.status, dict(answer.getheaders()), document


def store(jar):
    return f"/v1/tenants/acme/jars/{jar}/stores/native"


class Writer(threading.Thread):
    """Counts up in a cookie of its own jar, and knows what was acknowledged."""

    def __init__(self, nodes, number, pause=0.002):
        super().__init__(daemon=True)
        self.nodes, self.jar, self.pause = nodes, f"jar-{number}", pause
        self.attempted = self.acknowledged = self.failures = 0
        self.slowest = 0.0
        self.faults = []
        self.ending = threading.Event()

    def run(self):
        connections = {}
        while not self.ending.is_set():
            node = random.choice(self.nodes)
            self.attempted += 1
            count = self.attempted
            start = time.monotonic()
            try:
                connection = connections.setdefault(
                    node.port, http.client.HTTPConnection("127.0.0.1", node.port, timeout=20))
                headers = {"Set-Cookie": [f"count={count}; Path=/", f"pair={count}; Path=/"]}
                status, fields, document = exchange(
                    connection, "POST", store(self.jar) + "/ingest",
                    {"url": "https://www.example.com/", "headers": headers}, node.fields)
            except OSError as error:
                connections.pop(node.port, None)
                self.faults.append(f"no answer: {error}")
                continue
            self.slowest = max(self.slowest, time.monotonic() - start)
            if status == 200:
                self.acknowledged = count
            else:
                self.failures += 1
                if status != 503 or "Retry-After" not in fields:
                    self.faults.append(f"{status} {document}")
            time.sleep(self.pause)

    def audit(self, node):
        """What is there is no older than what was acknowledged, and whole."""
        status, _, document = node.ask(
            "GET", store(self.jar) + "/cookie-header?url=https://www.example.com/")
        assert status == 200, status
        pairs = dict(part.split("=") for part in document["cookie"].split("; ") if part)
        assert pairs.get("count") == pairs.get("pair"), f"{self.jar}: torn: {pairs}"
        found = int(pairs.get("count", 0))
        assert self.acknowledged <= found <= self.attempted, \
            f"{self.jar}: {self.acknowledged} acknowledged, {found} found, {self.attempted} tried"
        status, _, page = node.ask("GET", f"/v1/tenants/acme/jars/{self.jar}/changes?limit=1000")
        revisions = [change["revision"] for change in page["changes"]]
        assert revisions == sorted(set(revisions)), f"{self.jar}: the feed is out of order"
        assert not self.faults, self.faults[:3]


class Load:
    """Writers that run while something happens."""

    def __init__(self, nodes, count=16):
        self.nodes = nodes
        self.writers = [Writer(nodes, number) for number in range(count)]

    def __enter__(self):
        for writer in self.writers:
            writer.start()
        until(lambda: all(writer.acknowledged for writer in self.writers), 20, "the load begins")
        return self

    def __exit__(self, kind, *_):
        for writer in self.writers:
            writer.ending.set()
        for writer in self.writers:
            writer.join(30)
        if kind is None:
            for node in self.nodes:
                for writer in self.writers:
                    writer.audit(node)

    @property
    def acknowledged(self):
        return sum(writer.acknowledged for writer in self.writers)

    def is_moving(self):
        """Whether every writer gets something acknowledged."""
        before = [writer.acknowledged for writer in self.writers]
        time.sleep(0.05)
        return all(writer.acknowledged > old for writer, old in zip(self.writers, before))

    def summary(self):
        return (f"{self.acknowledged} acknowledged, {sum(w.failures for w in self.writers)} refused, "
                f"slowest {max(w.slowest for w in self.writers):.2f} s")


class Proxy(threading.Thread):
    """Between a node and the server: lets through, holds everything back, slows down, or swallows an answer to COMMIT."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.mode = "open"
        self.rate = 125_000
        self.swallowed = 0
        self.start()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        server = None
        try:
            while self.mode == "closed":
                time.sleep(0.05)
            server = socket.create_connection(("127.0.0.1", self.target))
            self.carry(client, server)
        except OSError:
            pass  # Either end has gone.
        finally:
            client.close()
            if server:
                server.close()

    def carry(self, client, server):
        while True:
            while self.mode == "closed":
                time.sleep(0.02)
            for source in select.select([client, server], [], [], 0.1)[0]:
                data = source.recv(65_536)
                if not data:
                    return
                while self.mode == "closed":
                    time.sleep(0.02)
                if self.mode == "slow":
                    time.sleep(0.2 + len(data) / self.rate)
                target = server if source is client else client
                target.sendall(data)
                # To bind the statement, behind the empty name of the portal; not to prepare it.
                if source is client and self.mode == "swallow" and b"\0commit\0" in data:
                    self.mode = "open"
                    self.swallowed += 1
                    server.recv(65_536)  # What it answers is never seen.
                    return
