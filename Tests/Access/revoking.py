# SPDX-License-Identifier: Apache-2.0
"""A token that is revoked while it is used (T29)."""

import json
import threading

from closed import ADMIN, Closed, Peer, expect, say

JAR = "/v1/tenants/acme/jars/j"
WRITERS = 4


class Writer(threading.Thread):
    """Stores another value each time, on one connection, until it is refused."""

    def __init__(self, port, number, credential, started):
        super().__init__(daemon=True)
        self.port, self.number, self.credential, self.started = port, number, credential, started
        self.statuses, self.failure = [], None

    def run(self):
        try:
            with Peer(self.port) as peer:
                for count in range(10_000):
                    cookie = {"name": f"n{self.number}", "value": f"{self.credential[-9:]}{count}", "domain": "a.example"}
                    status, _, _ = peer.ask("PUT", f"{JAR}/stores/s/cookies", self.credential, cookie)
                    self.statuses.append(status)
                    self.started.release()
                    if status != 200:
                        return
        except OSError as error:
            self.failure = error


def revoke_while_writing(binary, work, short):
    """T29: what the revocation's answer finds is final, whatever the token had under way."""
    rounds = 60 if short else 1000
    writes = refused = 0
    with Closed(binary, work, "--failed-logins-per-minute", "10000") as service, Peer(service.port) as admin:
        service.tenant("acme")
        _, reader = service.mint("acme", "read")

        def revision():
            status, _, body = admin.ask("GET", JAR, reader)
            expect(status == 200, f"the jar was answered {status}")
            return json.loads(body)["revision"]

        for number in range(rounds):
            identifier, credential = service.mint("acme", "write")
            started = threading.Semaphore(0)
            writers = [Writer(service.port, index, credential, started) for index in range(WRITERS)]
            for writer in writers:
                writer.start()
            for _ in range(WRITERS + number % 7):
                expect(started.acquire(timeout=30), "the writers do not get on")
            status, _, _ = admin.ask("DELETE", f"/v1/tenants/acme/tokens/{identifier}", ADMIN)
            expect(status == 204, f"the revocation was answered {status}")
            at_once = revision()
            for writer in writers:
                writer.join(timeout=30)
                expect(writer.failure is None and not writer.is_alive(), f"a writer: {writer.failure}")
                expect(set(writer.statuses) <= {200, 401} and writer.statuses[-1] == 401, f"answers {set(writer.statuses)}")
                writes += writer.statuses.count(200)
                refused += writer.statuses.count(401)
            expect(revision() == at_once, f"round {number}: a write took effect after the revocation was acknowledged")
    say(f"{rounds} revocations among {writes} writes, {refused} refused, none later than the acknowledgement")


SCENARIOS = {"revoke-while-writing": revoke_while_writing}
