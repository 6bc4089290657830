# SPDX-License-Identifier: Apache-2.0
"""A service on a data directory of any size, which is filled through a template that the service made, then with SQL."""

import http.client
import json
import pathlib
import signal
import socket
import sqlite3
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
INGEST = {"url": "https://www.example.com/", "headers": [["Set-Cookie", "sid=" + "v" * 300 + "; Max-Age=30000000"]]}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Service:
    def __init__(self, binary, data, *settings):
        self.port = free_port()
        self.began = time.monotonic()
        self.process = subprocess.Popen([binary, "serve", "--port", str(self.port), "--data-dir", str(data),
                                         "--log-level", "error", *settings])
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port)
        self.started = self.first_answer()

    def first_answer(self):
        """Milliseconds from the start to the first 200."""
        while time.monotonic() < self.began + 60:
            try:
                if self.call("GET", "/readyz")[0] == 200:
                    return (time.monotonic() - self.began) * 1e3
            except OSError:
                self.connection.close()
                time.sleep(0.001)
        raise SystemExit("the service did not start")

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"} if body else {}
        self.connection.request(method, path, json.dumps(body) if body else None, headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def resident(self):
        """Megabytes."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))

    def stop(self, number=signal.SIGTERM):
        self.connection.close()
        self.process.send_signal(number)
        self.process.wait()


def header(tenant, jar):
    return f"/v1/tenants/{tenant}/jars/{jar}/stores/native/cookie-header?url=https://www.example.com/"


def template(binary, work):
    """A tenant's folder with one jar of one cookie, folded and closed."""
    data = work / "template"
    service = Service(binary, data)
    assert service.call("POST", "/v1/tenants/t/jars/jar-0/stores/native/ingest", INGEST)[0] == 200
    time.sleep(1.5)
    service.stop()
    folder = data / "tenants/t"
    database = sqlite3.connect(folder / "jar.sqlite")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    for name in ("jar.sqlite-wal", "jar.sqlite-shm"):
        (folder / name).unlink(missing_ok=True)
    return folder


def populate(folder, jars, cookies):
    """Gives a tenant jars with so many cookies each, as if they had been folded and the log dropped."""
    database = sqlite3.connect(folder / "jar.sqlite")
    database.execute("PRAGMA synchronous = OFF")
    columns = [row[1] for row in database.execute("PRAGMA table_info(cookie)")]
    row = dict(zip(columns, database.execute("SELECT * FROM cookie").fetchone()))
    database.executescript("DELETE FROM jar; DELETE FROM store; DELETE FROM cookie; DELETE FROM change; DELETE FROM jar_change")
    database.executemany(
        "INSERT INTO jar (id, name, revision, created_at, present) VALUES (?, ?, ?, ?, 1)",
        ((number, f"jar-{number}".encode(), cookies, row["created_at"]) for number in range(1, jars + 1)))
    database.executemany("INSERT INTO store (jar, name, present) VALUES (?, ?, 1)",
                         ((number, b"native") for number in range(1, jars + 1)))

    def rows():
        for number in range(1, jars + 1):
            for index in range(cookies):
                yield tuple({**row, "jar": number, "name": b"c%d" % index, "creation_order": index + 1,
                             "version": index + 1, "value": b"%032x" % (number * cookies + index)}.values())

    marks = ", ".join("?" * len(columns))
    database.executemany(f"INSERT INTO cookie VALUES ({marks})", rows())
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
