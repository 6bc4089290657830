# SPDX-License-Identifier: Apache-2.0
"""What the time of an answer tells (T22).

Two kinds of request, which must not be told apart, go over one connection in a random order, and Welch's t is taken of their
times. As in dudect, what is slower than nine of ten of all is left out first: that is the scheduler. |t| has to be below
4.5. On a busy machine a single run may be above by chance: then there are two more, and a pair of kinds fails when two of the
three are above on the same side.
"""

import random
import statistics
import time

from closed import ADMIN, Closed, Peer, digits, expect, request, say, token

LIMIT = 4.5
RUNS = 3
# Below the limit of failed logins of each address.
BLOCK = 4000


def welch(left, right):
    spread = statistics.variance(left) / len(left) + statistics.variance(right) / len(right)
    return (statistics.fmean(left) - statistics.fmean(right)) / spread ** 0.5


def measure(port, kinds, count, status, address):
    """The t of two kinds; each is a function that makes a request."""
    times = ([], [])
    for block in range(2 * count // BLOCK):
        order = [0, 1] * (BLOCK // 2)
        random.shuffle(order)
        requests = [kinds[kind]() for kind in order]
        with Peer(port, source=f"127.0.{address}.{1 + block}") as peer:
            for _ in range(50):
                peer.ask("GET", "/healthz")
            for kind, octets in zip(order, requests):
                began = time.perf_counter_ns()
                peer.socket.sendall(octets)
                answer = peer.socket.recv(65536)
                times[kind].append(time.perf_counter_ns() - began)
                expect(answer.startswith(b"HTTP/1.1 %d " % status), f"answered {answer[:80]}")
                expect(answer.count(b"HTTP/1.1 ") == 1 and answer.endswith(b"}"), "an answer came in pieces")
    bound = statistics.quantiles(times[0] + times[1], n=10)[-1]
    kept = [[each for each in kind if each <= bound] for kind in times]
    return welch(*kept), statistics.fmean(kept[0]) / 1000, statistics.fmean(kept[1]) / 1000


def compare(port, name, kinds, count, status, first):
    values = []
    for run in range(RUNS):
        value, left, right = measure(port, kinds, count, status, first + run)
        values.append(value)
        say(f"{name}: t = {value:+.2f}, {left:.2f} and {right:.2f} us")
        if abs(values[0]) < LIMIT:
            return
    worst = max(sum(value > LIMIT for value in values), sum(value < -LIMIT for value in values))
    expect(worst < 2, f"{name}: the times tell them apart")


def timing(binary, work, short):
    """T22: neither a wrong secret from an id that there is not, nor another tenant's jar from none."""
    count = 4000 if short else 20000
    with Closed(binary, work, "--failed-logins-per-minute", "10000", "--log-requests", "0") as service:
        service.tenant("acme")
        service.tenant("other")
        known, credential = service.mint("acme", "read values")
        _, other = service.mint("other", "read write values")
        status, _, _ = service.ask("PUT", "/v1/tenants/other/jars/jb/stores/s/cookies", other,
                                   {"name": "n", "value": "v", "domain": "a.example"})
        expect(status == 200, f"the other tenant's write was answered {status}")
        target = "/v1/tenants/acme/jars"

        compare(service.port, "a wrong secret, an absent id",
                (lambda: request("GET", target, token(known, digits(43))),
                 lambda: request("GET", target, token(digits(12), digits(43)))), count, 401, 1)

        def jar(tenant):
            return lambda: request("GET", f"/v1/tenants/{tenant}/jars/jb/stores/s/cookie-header?url=http://a.example/", credential)

        compare(service.port, "another tenant, none", (jar("other"), jar("nobod")), count, 404, 11)
        bound = service.mint("acme", "read values", jars=["ja"])[1]
        status, _, _ = service.ask("DELETE", f"/v1/tenants/acme/tokens/{known}", ADMIN)
        expect(status == 204, f"a revocation was answered {status}")
        _, writer = service.mint("acme", "write")
        status, _, _ = service.ask("PUT", "/v1/tenants/acme/jars/jb/stores/s/cookies", writer,
                                   {"name": "n", "value": "v", "domain": "a.example"})
        expect(status == 200, f"a write was answered {status}")

        def hidden(name):
            return lambda: request("GET", f"/v1/tenants/acme/jars/{name}/stores/s/cookies", bound)

        compare(service.port, "a jar beyond the token's, none", (hidden("jb"), hidden("jx")), count, 404, 21)


SCENARIOS = {"timing": timing}
