# SPDX-License-Identifier: Apache-2.0
"""A tenant that takes all it can get beside one that wants little (T32)."""

import json
import os
import signal
import statistics
import subprocess
import sys
import time

from closed import Closed, Peer, expect, request, say

# Below this, what is measured is which of the processes has a core.
FLOOR_MILLISECONDS = 5.0
CLIENT = """
import json, sys, time
sys.path.insert(0, {folder!r})
from closed import Peer, request
reads = request("GET", "/v1/tenants/noisy/jars/j/stores/s/cookie-header?url=http://a.example/", {token!r})
cookie = {{"name": "n", "value": "v" * 2000, "domain": "a.example"}}
tally, due = {{}}, time.monotonic()
with Peer({port}) as reader, Peer({port}) as writer:
    while True:
        reader.socket.sendall(reads * 99)
        statuses = [writer.ask("PUT", "/v1/tenants/noisy/jars/j/stores/s/cookies", {token!r}, cookie)[0]]
        statuses += [reader.read()[0] for _ in range(99)]
        for status in statuses:
            tally[status] = tally.get(status, 0) + 1
        print(json.dumps(tally), flush=True)
        # Ten thousand requests in a second.
        due += 0.01
        time.sleep(max(0, due - time.monotonic()))
"""


def quantile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


class Neighbour:
    """Tenant B: reads and writes in turn, and how long they took."""

    def __init__(self, service, credential):
        self.peer, self.credential, self.count = Peer(service.port), credential, 0

    def times(self, seconds):
        read, written = [], []
        target = "/v1/tenants/quiet/jars/j/stores/s/"
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.count += 1
            for times, octets in [
                    (read, request("GET", target + "cookie-header?url=http://a.example/", self.credential)),
                    (written, request("PUT", target + "cookies", self.credential,
                                      {"name": "n", "value": f"v{self.count}", "domain": "a.example"}))]:
                began = time.monotonic()
                self.peer.socket.sendall(octets)
                status = self.peer.read()[0]
                times.append((time.monotonic() - began) * 1000)
                expect(status == 200, f"the quiet tenant was answered {status}")
            time.sleep(0.002)
        return quantile(read, 0.99), quantile(written, 0.99)


def noisy_neighbour(binary, work, short):
    """T32: with A at its quota and ten thousand requests a second, only A hears of it, and B's p99 is at most doubled."""
    seconds, rounds = (2, 3) if short else (5, 7)
    with Closed(binary, work) as service:
        service.tenant("noisy", bytes=1, requests_per_second=500)
        service.tenant("quiet")
        _, noisy = service.mint("noisy", "read write values")
        neighbour = Neighbour(service, service.mint("quiet", "read write values")[1])
        neighbour.times(1)
        quiet, loud, tally = [], [], {}
        for _ in range(rounds):
            quiet.append(neighbour.times(seconds))
            with open(work / "noise", "wb") as output:
                text = CLIENT.format(folder=os.path.dirname(os.path.abspath(__file__)), token=noisy, port=service.port)
                client = subprocess.Popen(["nice", sys.executable, "-c", text], stdout=output)
                try:
                    while not (work / "noise").read_bytes():
                        time.sleep(0.01)
                    loud.append(neighbour.times(seconds))
                finally:
                    client.send_signal(signal.SIGKILL)
                    client.wait()
            # The last line may be cut short.
            for status, count in json.loads((work / "noise").read_text().split("\n")[-2]).items():
                tally[status] = tally.get(status, 0) + count
        say(f"the noisy tenant's answers: {json.dumps(tally)}")
        for index, name in enumerate(("reads", "writes")):
            before, after = (statistics.median(each[index] for each in times) for times in (quiet, loud))
            say(f"the quiet tenant's {name}: p99 {before:.2f} ms alone, {after:.2f} ms beside it")
            expect(after <= max(2 * before, FLOOR_MILLISECONDS), f"{name} take {after / before:.1f} times as long")
        expect({"429", "507"} <= tally.keys(), "the noisy tenant was not told")


SCENARIOS = {"noisy-neighbour": noisy_neighbour}
