# SPDX-License-Identifier: Apache-2.0
"""The battery of raw requests against the real binary behind an admin token, and what counts as a token (T02 to T05)."""

import base64
import json
import pathlib
import subprocess
import sys
import time

from closed import ADMIN, Closed, Peer, expect, say

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "HTTPServerTests/Fixtures"
HOST = b"Host: localhost\r\n"


def authorised(case, credential):
    """A case with a token in each of its heads; those that say themselves where tokens are stay as they are."""
    raw = base64.b64decode(case["raw_b64"])
    # What looks like a head in the last of them is content, whose length is given.
    if b"{{AUTH}}" in raw or b"{{TOKEN}}" in raw or case["id"] == "C41-head-body":
        return case
    field = b"Authorization: Bearer " + credential.encode() + b"\r\n"
    changed = {**case, "raw_b64": base64.b64encode(raw.replace(HOST, HOST + field)).decode()}
    if isinstance(case.get("parts"), list):
        changed["parts"] = [part + len(field) * raw[:part].count(HOST) for part in case["parts"]]
    return changed


def battery(binary, work, short):
    """Every row passes with a token in its heads, and the rows about tokens as they are; then T02 to T05."""
    with Closed(binary, work) as service:
        service.tenant("battery")
        _, credential = service.mint("battery", "write")
        cases = json.loads((FIXTURES / "battery.json").read_text(encoding="utf-8"))
        file = work / "battery.json"
        file.write_text(json.dumps([authorised(case, credential) for case in cases]), encoding="utf-8")
        ended = subprocess.run(
            [sys.executable, FIXTURES / "run_battery.py", "127.0.0.1", str(service.port), "--auth", f"Bearer {credential}",
             "--jobs", "16", "--file", file], capture_output=True, text=True, check=False)
        failures = [line for line in ended.stdout.splitlines() if line.startswith("FAIL")]
        expect(not failures and ended.returncode == 0, "\n      ".join(failures[:20]) or ended.stderr[-300:])
        count = len(cases)
        expect(ended.stdout.endswith(f"{count}/{count} pass\n"), ended.stdout[-200:])
        say(f"{count} rows passed with a token")
        spellings(service, credential)


def spellings(service, credential):
    """Only `Authorization: Bearer` counts, once, in the head."""
    jars = "/v1/tenants/battery/jars/j/stores/s/cookies"
    body = {"cookies": []}
    right = [f"bearer {credential}", f"BEARER  {credential} \t"]
    wrong = ["Bearer", "Bearer  ", "Basic eA==", f"Token {credential}", f"Bearer {credential[:20]} {credential[20:]}",
             "Bearer " + "x" * 8000, f"Bearer {credential}\u00e9", credential]
    with OwnAddresses(service) as ask:
        for value in right:
            expect(ask("PUT", jars, None, body, [f"Authorization: {value}"])[0] == 200, "a spelling that is right was refused")
        for value in wrong:
            status = ask("PUT", jars, None, body, [f"Authorization: {value}"])[0]
            expect(status in (400, 401, 429), f"a spelling that is wrong was answered {status}")
        for first, second in [(credential, credential), ("x", credential), (credential, "x"), (ADMIN, credential)]:
            status = ask("PUT", jars, None, body, [f"Authorization: Bearer {first}", f"Authorization: Bearer {second}"])[0]
            expect(status in (400, 401, 429), f"two fields were answered {status}")
        for fields, target in [([f"Cookie: access_token={credential}; token={credential}"], jars),
                               ([f"X-Authorization: Bearer {credential}", f"Proxy-Authorization: Bearer {credential}"], jars),
                               ([], f"{jars}?access_token={credential}"), ([], f"{jars}?authorization=Bearer%20{credential}")]:
            status = ask("PUT", target, None, body, fields)[0]
            expect(status == 401, f"a token elsewhere was answered {status}")
    log = (service.folder / "log").read_text()
    expect(credential[24:60] not in log and ADMIN not in log, "the log has a token")
    say(f"{len(right)} spellings taken, {len(wrong) + 8} refused, no token in the log")


class OwnAddresses:
    """A connection for each request: some of these close theirs."""

    def __init__(self, service):
        self.service, self.count = service, 0

    def __enter__(self):
        return self.ask

    def __exit__(self, *_):
        pass

    def ask(self, method, target, credential, body, fields):
        # Each from an address of its own, so that the limit of failed logins is not what answers.
        self.count += 1
        with Peer(self.service.port, source=f"127.7.0.{self.count}") as peer:
            text = [field.encode("utf-8").decode("latin-1") for field in fields]
            return peer.ask(method, target, credential, body, text)


def large_bodies(binary, work, short):
    """J30, J33, J39, J40, J50: bodies that are made to be dear are refused within 200 ms."""
    bodies = {
        "J30 arrays": b"[" * 100_000, "J30 objects": b'{"a":' * 100_000,
        "J33": b'{"expires":' + b"1" * 1_000_000 + b"}",
        "J39": b"{" + b",".join(b'"%d":1' % number for number in range(100_000)) + b"}",
        "J40": b"[" + b",".join([b"[]"] * 340_000) + b"]",
        "J50": b'{"name":"n","domain":"a.example","value":"' + b"\\u0061" * 174_000 + b'"}',
    }
    with Closed(binary, work) as service, Peer(service.port) as peer:
        service.tenant("acme")
        _, credential = service.mint("acme", "write")
        for name, body in bodies.items():
            times = []
            for _ in range(3):
                began = time.monotonic()
                status, _, _ = peer.ask("PUT", "/v1/tenants/acme/jars/j/stores/s/cookies", credential, body)
                times.append(time.monotonic() - began)
                expect(status in (400, 413, 422), f"{name} was answered {status}")
            say(f"{name}: {len(body)} octets, {min(times) * 1000:.1f} ms")
            expect(min(times) < 0.2, f"{name} takes too long")


SCENARIOS = {"battery": battery, "large-bodies": large_bodies}
