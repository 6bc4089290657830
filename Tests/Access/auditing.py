# SPDX-License-Identifier: Apache-2.0
"""The audit log: what trying doors leaves in it (T16), and a device for it that is full (R50)."""

import json
import os
import subprocess
import time

from closed import ADMIN, COOKIE, Closed, Failed, Peer, Skipped, digits, expect, say, token


def guessing(binary, work, short):
    """T16: ids that are guessed are all 404, 429 from the limit on, and one line of the audit log."""
    count = 2000 if short else 10_000
    with Closed(binary, work) as service:
        service.tenant("acme")
        service.tenant("other")
        _, credential = service.mint("acme", "read values", jars=["mine"], requests_per_second=500)
        before = len(service.audit_lines())
        began, statuses = time.monotonic(), []
        with Peer(service.port) as peer:
            for number in range(count):
                tenant, jar = ("other", f"j{number}") if number % 2 else ("acme", digits(8))
                status, _, _ = peer.ask("GET", f"/v1/tenants/{tenant}/jars/{jar}/stores/s/cookies", credential)
                statuses.append(status)
            seconds = time.monotonic() - began
            tally = {status: statuses.count(status) for status in sorted(set(statuses))}
            say(f"{count} ids of jars in {seconds:.1f} s: {tally}")
            expect(set(tally) == {404, 429} and set(statuses[:500]) == {404}, "the guesses were answered otherwise")
            lines = service.audit_lines()[before:]
            expect([line["action"] for line in lines] == ["accessRefused"] * (1 + int(seconds // 60)),
                   f"the audit log has {[line['action'] for line in lines]}")
            before = len(service.audit_lines())
            statuses = [peer.ask("GET", "/v1/tenants/acme/jars", token(digits(12), digits(43)))[0] for _ in range(count)]
        expect(statuses[:10] == [401] * 10 and set(statuses[10:]) <= {429, 401}, "guessed tokens are not limited")
        expect(statuses.count(401) <= 10 * (1 + int((time.monotonic() - began) // 60)), "the limit is not kept")
        lines = service.audit_lines()[before:]
        expect([line["action"] for line in lines] == ["loginsRefused"], f"the audit log has {lines}")
        say(f"{count} guessed tokens: {statuses.count(401)} times 401, {statuses.count(429)} times 429, one line")


def full_device(binary, work, short):
    """R50: while the audit log's device is full, nothing is written and no value is shown; then it goes on by itself."""
    place = work / "audit"
    place.mkdir()
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place], capture_output=True, check=False).returncode == 0
    if not mounted:
        raise Skipped("cannot mount a tmpfs")
    try:
        fill_and_free(binary, work, place)
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def fill_and_free(binary, work, place):
    log = place / "audit.log"
    with Closed(binary, work, "--audit", "full", "--audit-log", log) as service, Peer(service.port) as peer:
        service.tenant("acme")
        _, credential = service.mint("acme", "read write values")
        cookies = "/v1/tenants/acme/jars/j/stores/s/cookies"
        written, doubtful = [], []

        def put(number):
            status, _, body = peer.ask("PUT", cookies, credential, {**COOKIE, "value": f"v{number}"})
            if status == 200:
                written.append(number)
            elif b"outcome-unknown" in body:
                doubtful.append(number)
            return status

        expect(put(1) == 200, "a write before it is full")
        filler = os.open(place / "filler", os.O_WRONLY | os.O_CREAT)
        try:
            while os.write(filler, b"x" * 4096) > 0:
                pass
        except OSError:
            pass
        finally:
            os.close(filler)
        # The page that the log has begun may take some lines more.
        answers = [put(number) for number in range(2, 60)]
        expect(set(answers[answers.index(503):]) == {503}, "a write was taken while no record could be kept")
        expect(len(doubtful) <= 1, "what was refused may have taken effect, more than once")
        for what, status, wanted in [
                ("a read of values", peer.ask("GET", cookies, credential)[0], 503),
                ("a new token", peer.ask("POST", "/v1/tenants/acme/tokens", ADMIN, {"name": "t", "scopes": ["read"]})[0], 503),
                ("a read without values", peer.ask("GET", "/v1/tenants/acme/jars", credential)[0], 200),
                ("/healthz", peer.ask("GET", "/healthz")[0], 200)]:
            expect(status == wanted, f"{what} was answered {status} while the device is full")
        (place / "filler").unlink()
        began = time.monotonic()
        while (status := put(100)) != 200:
            expect(status == 503 and time.monotonic() - began < 10, f"a write is answered {status} after there is room again")
            time.sleep(0.05)
        back = time.monotonic() - began
        expect(peer.ask("GET", cookies, credential)[0] == 200, "a read of values after there is room again")
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        puts = [line for line in lines if line["action"] == "putCookies" and line["status"] == 200]
        expect(len(puts) >= len(written), f"{len(written)} writes were acknowledged, and {len(puts)} recorded")
        settings = [*service.settings, "--audit-log", log]
    ended = subprocess.run([binary, "verify", *settings], capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise Failed(f"verify ended with {ended.returncode}: {ended.stderr[-300:]}")
    say(f"{len(answers) - answers.index(503)} writes refused, back {back:.1f} s after there was room, the chain is whole")


SCENARIOS = {"guessing": guessing, "audit-device-full": full_device}
