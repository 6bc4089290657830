#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the shared conformance cases through the HTTP API of the real binary.

    jar_cases.py [FILE ...]        default: every file

Each case gets a jar of its own. One line per file, the failures, and a total. Values are test data from public
suites, so showing them is no leak.
"""

import base64
import datetime
import json
import os
import pathlib
import sys
from urllib.parse import quote, urlencode

from service import ROOT, Service, rfc3339

FIXTURES = pathlib.Path(os.environ.get("COOKIESYNC_CONFORMANCE", ROOT.parent / "shared" / "conformance"))


def bytes_of(step, key):
    if key + "_b64" in step:
        value = step[key + "_b64"]
        return [base64.b64decode(v) for v in value] if isinstance(value, list) else base64.b64decode(value)
    value = step.get(key)
    if isinstance(value, list):
        return [v.encode("utf-8", "surrogatepass") for v in value]
    return None if value is None else value.encode("utf-8", "surrogatepass")


def ingest(service, store, step):
    lines = bytes_of(step, "set_cookie")
    members = {"url": step["url"]}
    for key in ("http_api", "same_site_context"):
        if key in step:
            members[key] = step[key]
    if "set_cookie_b64" in step:
        # Octets that JSON cannot carry go in as a raw response head.
        if "http_api" in members:
            members["http_api"] = "true" if members["http_api"] else "false"
        head = b"HTTP/1.1 200 OK\r\n" + b"".join(b"Set-Cookie: " + l + b"\r\n" for l in lines) + b"\r\n"
        return service.call("POST", f"{store}/ingest?{urlencode(members)}", head,
                            {"Content-Type": "message/http"})
    members["headers"] = [["Set-Cookie", l.decode("utf-8", "surrogatepass")] for l in lines]
    return service.call("POST", f"{store}/ingest", members)


def fetch(service, store, step):
    query = {"url": step["url"]}
    if "http_api" in step:
        query["http_api"] = "true" if step["http_api"] else "false"
    if "same_site_context" in step:
        query["same_site_context"] = step["same_site_context"]
    status, _, body = service.call("GET", f"{store}/cookie-header?{urlencode(query)}", headers={"Accept": "text/plain"})
    return status, body


def run_jar_case(service, store, case):
    """Answers the reasons for which the case fails."""
    faults = []
    for number, element in enumerate(case["steps"]):
        (kind, step), = element.items()
        if "now" in step:
            service.set_clock(rfc3339(step["now"]))
        if kind == "ingest":
            status, _, body = ingest(service, store, step)
            if status not in (200, 422):
                faults.append(f"step {number}: ingest answered {status} {body[:200]!r}")
            elif status == 422 and b'"/url"' not in body and b"url" not in body:
                faults.append(f"step {number}: ingest refused with 422 for another reason than its URL: {body[:200]!r}")
            continue
        key = "expect_bis" if "expect_bis" in step or "expect_bis_b64" in step else "expect"
        wanted = bytes_of(step, key)
        status, got = fetch(service, store, step)
        if status != 200 or got != wanted:
            faults.append(f"step {number}: wanted {wanted!r}, got {status} {got!r}")
    return faults


def run_date_case(service, store, case):
    """A cookie-date through an Expires attribute, at a time long before it so that nothing is past or capped."""
    wanted = case.get("expect_bis", case.get("expect_unix"))
    now = datetime.datetime.fromtimestamp((wanted or 0) - 86400, datetime.timezone.utc)
    if wanted is None:
        now = datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc)
    service.set_clock(now)
    line = "d=1; Expires=" + case["cookie_date"]
    service.call("POST", f"{store}/ingest", {"url": "https://dates.example.com/", "headers": [["Set-Cookie", line]]})
    status, _, body = service.call("GET", f"{store}/cookies")
    cookies = json.loads(body).get("cookies", []) if status == 200 else []
    if len(cookies) != 1:
        return [f"{len(cookies)} cookies stored"]
    expires = cookies[0]["expires"]
    got = None if expires is None else int(rfc3339(expires).timestamp())
    return [] if got == wanted else [f"wanted {wanted}, got {got}"]


def run_suffix_case(service, store, case):
    """A registrable domain, seen from outside: it takes cookies from its hosts, and what lies above it takes none."""
    host, registrable = case["host"], case["registrable"]
    url = f"https://{host}/"
    if host.startswith("."):
        status = service.call("POST", f"{store}/ingest", {"url": url, "headers": [["Set-Cookie", "a=1"]]})[0]
        return [] if status == 422 else [f"a host that is none is answered {status}"]
    labels = host.split(".")
    faults = []
    for start in range(len(labels)):
        domain = ".".join(labels[start:])
        line = f"a=1; Domain={ascii_form(domain)}"
        status, _, body = service.call("POST", f"{store}/ingest", {"url": url, "headers": [["Set-Cookie", line]]})
        result = json.loads(body)["results"][0] if status == 200 else {"outcome": status, "reason": None}
        is_domain_cookie = result["outcome"] != "rejected" and not result["cookie"]["host_only"]
        wanted = registrable is not None and start <= len(labels) - len(registrable.split("."))
        if is_domain_cookie != wanted:
            faults.append(f"Domain={domain} from {host}: {result['outcome']}, {result['reason']}")
    return faults


def ascii_form(domain):
    """A Domain attribute is ASCII; a browser's user would have written A-labels."""
    return ".".join(label if label.isascii() else "xn--" + label.encode("punycode").decode()
                    for label in domain.split("."))


def runner(case):
    if "steps" in case:
        return run_jar_case
    return run_date_case if "cookie_date" in case else run_suffix_case


def main():
    names = sys.argv[1:] or sorted(path.name for path in FIXTURES.glob("*.json"))
    start = datetime.datetime.now(datetime.timezone.utc)
    service = Service()
    passed = failed = 0
    try:
        for name in names:
            with open(FIXTURES / name, encoding="ascii") as file:
                cases = json.load(file)
            good = 0
            for number, case in enumerate(cases):
                store = f"/v1/tenants/conformance/jars/{quote(name.removesuffix('.json'))}-{number}/stores/s"
                service.set_clock(start)
                faults = runner(case)(service, store, case)
                good += not faults
                for fault in faults:
                    print(f"FAIL {case.get('id', case.get('host'))}: {fault}")
            print(f"{name}: {good} of {len(cases)}")
            passed, failed = passed + good, failed + len(cases) - good
    finally:
        service.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
