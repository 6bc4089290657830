# SPDX-License-Identifier: Apache-2.0
"""A wall clock that jumps (R32), other time zones and languages (R33), a process that stands still (R53)."""

import glob
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time
from urllib.parse import quote

from feeds import JAR, Stream, Writer, follow
from harness import expect, read_all, say, service, until

HOUR, DAY = 3600, 86_400
# Back by little and by much, forward by ten years, to 1970, and where it was.
JUMPS = {"-1 h": -HOUR, "-2 d": -2 * DAY, "+10 y": 3652 * DAY, "1970": None, "back": 0}


class Clock:
    """The wall clock of a child process, by libfaketime; the monotonic clock is left alone."""

    def __init__(self, work):
        self.file = work / "clock"
        self.set(0)

    def set(self, offset):
        """That much from now; None is the beginning of 1970."""
        offset = 100 - time.time() if offset is None else offset
        fresh = self.file.with_suffix(".new")
        fresh.write_text(f"{offset:+.0f}")
        fresh.replace(self.file)

    @property
    def under(self):
        return ("env", f"LD_PRELOAD={library()}", f"FAKETIME_TIMESTAMP_FILE={self.file}", "FAKETIME_NO_CACHE=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1")


def library():
    found = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    expect(found, "libfaketime is not installed")
    return found[0]


def clock_jumps(binary, work, short):
    """Writes, a follower, idle and slow peers, while the wall clock jumps; whoever was revoked stays so."""
    clock = Clock(work)
    token = work / "admin-token"
    token.write_text("an-admin-token-of-more-than-32-characters\n")
    token.chmod(0o600)
    with service.Service(
            binary, work / "jumps", "--header-timeout", "3s", "--sweep-interval", "100ms", under=clock.under) as server:
        writer, seen = Writer(server.port), []
        life = f"lasting={'v' * 20}; Max-Age={300 * DAY}"
        service.ingest(server.port, f"{JAR}/stores/native", "www.example.com", life)
        stream = Stream(server.port, 0)
        follower = threading.Thread(target=collect, args=(stream, seen))
        follower.start()
        idle = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        idle.sendall(service.request(server.port, "/healthz"))
        idle.recv(4096)
        revision = 1
        for name, offset in JUMPS.items():
            slow = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            slow.sendall(b"GET /healthz HTTP/1.1\r\n")
            began = time.monotonic()
            time.sleep(0.3)
            clock.set(offset)
            for _ in range(20):
                now = writer.write()
                expect(now == revision + 1, f"{name}: revision {now} came after {revision}")
                revision = now
            # The sweep goes round again and again; it must not take what only a jumped clock calls expired.
            time.sleep(1.2)
            answer = read_all(slow, 10)
            life = time.monotonic() - began
            slow.close()
            expect(answer.startswith(b"HTTP/1.1 408 ") and 2.5 <= life <= 4.5, f"{name}: a half head was cut after {life:.1f} s")
            idle.sendall(service.request(server.port, "/healthz"))
            expect(idle.recv(4096).startswith(b"HTTP/1.1 200 "), f"{name}: an idle connection is gone")
        status, answer = service.call(server.port, "GET", f"{JAR}/stores/native/cookies?name=lasting")
        expect(status == 200 and len(json.loads(answer)["cookies"]) == 1, "a jump has swept a cookie that lives on")
        until(lambda: seen and seen[-1] >= revision, 10, f"the follower is told up to {seen[-1:]} of {revision}")
        stream.kill()
        follower.join()
        wanted = list(range(1, revision + 1))
        expect(seen == wanted and follow(server.port, 0, revision) == wanted, "the feed has a gap, or another order")
    revoked(binary, work, clock, token)
    say(f"{revision} writes over {len(JUMPS)} jumps, each one revision further; 408 after 3 s; nothing swept; revoked stays revoked")


def collect(stream, seen):
    """Takes the revisions of a stream's changes, until it is killed."""
    try:
        seen.extend(revision for name, revision in stream if name == "change")
    except AttributeError:
        pass  # The stream was closed while it was read.


def revoked(binary, work, clock, token):
    """An expired token, and one that was revoked, while the clock goes forward and back."""
    clock.set(0)
    with service.Service(binary, work / "tokens", "--admin-token-file", str(token), under=clock.under) as server:
        admin = token.read_text().strip()
        expect(ask(server.port, admin, "PUT", "/v1/tenants/acme")[0] in (200, 201), "the tenant is not made")
        made = []
        for _ in range(2):
            status, answer = ask(server.port, admin, "POST", "/v1/tenants/acme/tokens",
                                 {"name": "t", "scopes": ["read", "values"], "expires_in_seconds": 2 * HOUR})
            expect(status == 201, f"a token was answered {status}: {answer}")
            made.append(answer)
        brief, other = (one["token"] for one in made)
        reads = f"{JAR}/stores/native/cookies"
        expect(ask(server.port, brief, "GET", reads)[0] == 200, "a fresh token is refused")
        expect(ask(server.port, admin, "DELETE", f"/v1/tenants/acme/tokens/{made[1]['id']}")[0] == 204, "not revoked")
        for name, offset in {"+3 h": 3 * HOUR, **JUMPS}.items():
            clock.set(offset)
            expect(ask(server.port, other, "GET", reads)[0] == 401, f"{name}: a revoked token is valid")
            if offset and offset >= 2 * HOUR:
                expect(ask(server.port, brief, "GET", reads)[0] == 401, f"{name}: an expired token is valid")


def ask(port, token, method, target, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    fields = {"Authorization": f"Bearer {token}"}
    if body is not None:
        fields["Content-Type"] = "application/json"
    connection.request(method, target, None if body is None else json.dumps(body), fields)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, json.loads(content) if content else None


# Dates in the hour that New York has twice, in a leap second, and letters that Turkish folds in its own way.
LINES = [
    "TITLE=1; Expires=Sun, 01 Nov 2026 05:30:00 GMT; Path=/", "title=2; EXPIRES=Sunday, 01-Nov-26 06:30:00 GMT",
    "leap=1; expires=Wed, 31 Dec 2025 23:59:60 GMT", "asc=1; Expires=Thu Dec  3 05:06:07 2026",
    "I=i; HTTPONLY; SAMESITE=STRICT; SECURE; Domain=WWW.INFO.EXAMPLE.COM", "i=I; httponly; samesite=LAX; secure",
    "__HOST-ID=1; Path=/; Secure", "__Host-id=1; Path=/; Secure", "late=1; Max-Age=86400; PATH=/ITEM",
]
PLACES = [{"TZ": "UTC", "LC_ALL": "C"}, {"TZ": "America/New_York", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
          {"TZ": "right/UTC", "LC_ALL": "de_DE@euro"}, {"TZ": ":no-such-zone", "LANG": "tr_TR"}]


def surroundings(binary, work, short):
    """The same calls at the same time, under other time zones and languages: the answers are the same octets."""
    answers, frozen = [], 1_793_500_000  # 1 November 2026, 02:26:40 UTC
    url = quote("https://www.INFO.example.com/ITEM/1", safe="")
    store = f"{JAR}/stores/native"
    body = json.dumps({"url": "https://WWW.INFO.EXAMPLE.COM/ITEM/", "headers": [["SET-COOKIE", line] for line in LINES]})
    calls = [("POST", f"{store}/ingest", body), ("GET", f"{store}/cookies", None),
             ("GET", f"{store}/cookie-header?url={url}", None), ("GET", f"{store}/explain?url={url}", None),
             *(("GET", f"{store}/export?format={name}", None) for name in ("netscape", "playwright")),
             ("POST", f"{JAR}/sync", json.dumps({"from": "native", "to": "webview"})), ("GET", f"{JAR}/changes", None)]
    for number, place in enumerate(PLACES):
        under = ("env", *(f"{name}={value}" for name, value in place.items()), f"LD_PRELOAD={library()}",
                 "FAKETIME_FMT=%s", f"FAKETIME={frozen}", "FAKETIME_DONT_FAKE_MONOTONIC=1")
        with service.Service(binary, work / f"place-{number}", under=under) as server:
            answers.append([service.call(server.port, *one) for one in calls])
    for (method, target, _), *ones in zip(calls, *answers):
        expect(all(one == ones[0] for one in ones), f"{method} {target} is answered otherwise elsewhere")
        expect(ones[0][0] == 200, f"{method} {target} was answered {ones[0]}")
    expect(b'"2026-11-01T05:30:00Z"' in answers[0][1][1], "a date is not what it says")
    say(f"{len(calls)} answers, the same octets in {len(PLACES)} places")


def frozen(binary, work, short):
    """SIGSTOP for a while in the middle of work: what was asked is answered, what was acknowledged is there, the lock is held."""
    pause, data = 5 if short else 30, work / "frozen"
    with service.Service(binary, data, "--header-timeout", "3s", "--idle-timeout", "10m") as server:
        service.prepare_store(server.port)
        writer = Writer(server.port)
        writer.connection.timeout = pause + 30
        first = writer.write()
        poll = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        poll.sendall(service.request(server.port, f"{JAR}/changes?since={first}&wait={pause + 20}"))
        idle = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        idle.sendall(service.request(server.port, "/healthz"))
        idle.recv(4096)
        slow = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        slow.sendall(b"GET /healthz HTTP/1.1\r\n")
        # The call waits for a change, and not in the queue of its tenant any more, where what is late is refused.
        waiting = b'cookiesync_feed_followers{kind="poll"} 1'
        until(lambda: waiting in service.call(server.port, "GET", "/metrics")[1], 5, "it does not wait")
        expect(service.call(server.port, "GET", f"{JAR}/changes?since={first}")[0] == 200, "it does not answer")
        os.kill(server.pid, signal.SIGSTOP)
        until(lambda: stands_still(server.pid), 5, "it does not stop")
        try:
            began, answered = time.monotonic(), []
            late = threading.Thread(target=lambda: answered.append((writer.write(), time.monotonic() - began)))
            late.start()
            other = subprocess.run([binary, "serve", "--port", "0", "--data-dir", str(data)], capture_output=True, timeout=20)
            expect(other.returncode == 73, f"a second process ended with {other.returncode}, not 73")
            time.sleep(max(0, pause - (time.monotonic() - began)))
            expect(not answered, "a process that stands still has answered")
        finally:
            os.kill(server.pid, signal.SIGCONT)
        late.join(10)
        expect(answered and answered[0][0] == first + 1, "the write that waited was not answered")
        expect(answered[0][1] < pause + 2, "it was answered late")
        expect(read_all(slow, 5).startswith(b"HTTP/1.1 408 "), "a half head that was overdue was not cut")
        idle.sendall(service.request(server.port, "/healthz"))
        expect(idle.recv(4096).startswith(b"HTTP/1.1 200 "), "an idle connection was cut before its time")
        expect(writer.write() == first + 2, "revisions do not go on")
        woken = take(poll)
        expect(re.search(rb'"revision":%d[,}]' % (first + 1), woken), f"a call that waits was not woken: {woken[:300]!r}")
        for peer in (poll, idle, slow):
            peer.close()
    say(f"stood still for {pause} s; the write that waited was answered {answered[0][1] - pause:.2f} s after")


def stands_still(pid):
    """Whether each of its threads is stopped."""
    states = [line for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status")
              for line in status.read_text().splitlines() if line.startswith("State:")]
    return all(line.split()[1] == "T" for line in states)


def take(peer):
    """One answer with a length."""
    answer = b""
    while not (found := re.search(rb"(?is)content-length: (\d+).*?\r\n\r\n", answer)) or len(answer) < found.end() + int(found[1]):
        piece = peer.recv(65536)
        if not piece:
            break
        answer += piece
    return answer


SCENARIOS = {"clock-jumps": clock_jumps, "surroundings": surroundings, "frozen": frozen}
REQUIRES = {}
