#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A cookies.txt that is larger than what may be held of it, sent to the real binary.

    large_import.py [--mib N] [--lines N] [--healthz MS]

Memory may grow by less than 100 MiB above that of the idle process, the verdicts add up to what the store has, and
/healthz answers in less than so many ms (50), in 99 of 100 cases and above what it takes on this machine without an
import; where others share its cores, that says little.
"""

import argparse
import http.client
import json
import multiprocessing
import sys
import time

from service import Service


def resident(pid, key):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(key):
                return int(line.split()[1]) / 1024
    return 0.0


def file(lines, size):
    """The file, a piece at a time: so many lines over a thousand sites, as long as they have to be."""
    yield b"# Netscape HTTP Cookie File\n"
    filler = b"v" * max(1, size // lines - 50)
    block = []
    for number in range(lines):
        block.append(b"site%d.example\tFALSE\t/\tTRUE\t2145916800\tname%d\t%s\n" % (number % 1000, number, filler))
        if len(block) == 1000:
            yield b"".join(block)
            block = []
    yield b"".join(block)


class Health:
    """Asks for /healthz from a process of its own: threads of this one would wait for each other."""

    def __init__(self, port):
        self.stopped, self.times = multiprocessing.Event(), multiprocessing.Queue()
        self.process = multiprocessing.Process(target=self.run, args=(port,), daemon=True)
        self.process.start()

    def run(self, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        times = []
        while not self.stopped.is_set():
            begin = time.monotonic()
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            times.append((time.monotonic() - begin) * 1000)
            time.sleep(0.01)
        self.times.put(times)

    def slow(self):
        self.stopped.set()
        times = sorted(self.times.get(timeout=60))
        self.process.join()
        return times[len(times) * 99 // 100]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--mib", type=int, default=50)
    options.add_argument("--lines", type=int, default=500_000)
    options.add_argument("--healthz", type=float, default=50)
    options = options.parse_args()
    service = Service()
    faults = []
    try:
        store = "/v1/tenants/large/jars/alice/stores/native"
        service.call("GET", "/healthz")
        time.sleep(0.5)
        idle = resident(service.process.pid, "VmRSS")
        quiet = Health(service.port)
        time.sleep(3)
        usual = quiet.slow()
        health = Health(service.port)
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=300)
        begin = time.monotonic()
        connection.request("POST", f"{store}/import", file(options.lines, options.mib << 20),
                           {"Host": f"localhost:{service.port}"}, encode_chunked=True)
        answer = connection.getresponse()
        body = answer.read()
        seconds = time.monotonic() - begin
        slow = health.slow()
        peak = resident(service.process.pid, "VmHWM")
        counts = json.loads(body)
        results = counts.pop("results", [])
        held = json.loads(service.call("GET", store)[2])["cookie_count"]
        print(f"{answer.status} in {seconds:.1f} s, {counts}, {len(results)} results, {len(body) >> 20} MiB of answer")
        print(f"memory: {idle:.0f} MiB idle, {peak:.0f} MiB at most; healthz: {slow:.1f} ms, {usual:.1f} ms without")
        if answer.status != 200 or len(results) != options.lines:
            faults.append("not every line has its result")
        if counts.get("stored", 0) != held:
            faults.append(f"{counts.get('stored')} count as stored, {held} are there")
        if peak - idle >= 100:
            faults.append("100 MiB and more above idle")
        if slow - usual >= options.healthz:
            faults.append(f"/healthz took {options.healthz} ms longer")
    finally:
        service.stop()
    for fault in faults:
        print(f"FAIL {fault}")
    print(f"{4 - len(faults)} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
