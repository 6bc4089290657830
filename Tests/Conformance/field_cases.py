#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the field cases (faults that users of such software reported) through the HTTP API of the real binary.

    field_cases.py [--kinds "folding,expiry,..."] [FILE]

A case is a list of steps with the right outcome. One line per kind, the failures, and a total. A case with a step that
openapi.yaml has no operation for, or with a file format that it does not list, is skipped, and what is missing named.
"""

import argparse
import base64
import collections
import datetime
import json
import os
import pathlib
import re
import sys
from urllib.parse import quote, urlencode

from service import ROOT, Service, rfc3339

CASES = pathlib.Path(os.environ.get("COOKIESYNC_CASES", ROOT.parent / "shared" / "cases")) / "field-cases.json"
START = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.timezone.utc)

# Where openapi.yaml has the operations that steps need and that came, or come, later than the first ones.
LATER_OPERATIONS = {
    "restart": "/end-session", "changes": "/changes", "promote": "/promote", "script": "/document-cookie.js",
    "import": "/import", "export": "/export", "policy": "put of a store",
}


def missing_operations():
    """The names of steps that the API has no operation for."""
    methods, path = set(), ""
    for line in (ROOT / "openapi.yaml").read_text(encoding="utf-8").splitlines():
        if line.startswith("  /"):
            path = line.strip().rstrip(":")
        elif re.fullmatch(r"    (get|put|post|delete):", line):
            methods.add("/" + path.rsplit("/", 1)[1])
            if path.endswith("/{store}") and line.strip() == "put:":
                methods.add("put of a store")
    return {step for step, operation in LATER_OPERATIONS.items() if operation not in methods}


def known_formats():
    """The file formats that the API lists."""
    text = (ROOT / "openapi.yaml").read_text(encoding="utf-8")
    found = re.search(r"^    FileFormat:\n(?:      .*\n)*?      enum: (\[.*\])$", text, re.MULTILINE)
    return set(json.loads(found.group(1))) if found else set()


def missing_for(step, operations, formats):
    """What the API lacks for a step, or None."""
    if step["op"] in operations:
        return step["op"]
    if "format" in step and step["format"] not in formats:
        return f"{step['op']} of {step['format']}"
    return None


def seen_by_case(cookie):
    """A cookie of the API in the vocabulary of the cases."""
    expires = cookie.get("expires")
    same_site = cookie.get("same_site")
    return {
        "name": cookie.get("name"), "value": cookie.get("value"), "domain": cookie["domain"].lstrip("."),
        "host_only": cookie["host_only"], "path": cookie["path"], "secure": cookie["secure"],
        "http_only": cookie["http_only"], "same_site": same_site.capitalize() if same_site else None,
        "expires": None if expires is None else int(rfc3339(expires).timestamp()),
    }


class Run:
    """One case against one jar of the service."""

    def __init__(self, service, jar):
        self.service = service
        self.jar = f"/v1/tenants/field/jars/{quote(jar)}"
        self.stores = []
        self.answers = {}

    def store(self, name):
        if name not in self.stores:
            self.stores.append(name)
        return f"{self.jar}/stores/{name}"

    def step(self, step):
        answer = getattr(self, step["op"])(step)
        if "id" in step:
            self.answers[step["id"]] = answer

    def json(self, method, target, body=None, headers=None):
        status, fields, data = self.service.call(method, target, body, headers)
        parsed = None
        if "json" in fields.get("Content-Type", ""):
            parsed = json.loads(data)
        return {"status": status, "json": parsed, "text": data.decode("utf-8", "replace")}

    def expect_ok(self, answer):
        if not 200 <= answer["status"] < 300:
            raise AssertionError(f"unexpected {answer['status']}: {answer['text'][:300]}")
        return answer

    def ingest(self, step):
        headers = step.get("headers_object")
        if headers is None:
            headers = [[part.strip() if not n else part.removeprefix(" ") for n, part in enumerate(line.split(":", 1))]
                       for line in step["headers"]]
        body = {"url": step["url"], "headers": headers}
        for ours, theirs in (("origin_host", "original_host"), ("main_document_url", "main_document")):
            if theirs in step:
                body[ours] = step[theirs]
        return self.json("POST", self.store(step["store"]) + "/ingest", body)

    def cookie(self, step):
        query = urlencode({"url": step["url"]})
        return self.expect_ok(self.json("GET", f"{self.store(step['store'])}/cookie-header?{query}",
                                        headers={"Accept": "text/plain"}))

    def list(self, step):
        answer = self.expect_ok(self.json("GET", self.store(step["store"]) + "/cookies?limit=500"))
        answer["cookies"] = [seen_by_case(cookie) for cookie in answer["json"]["cookies"]]
        return answer

    def delete(self, step):
        return self.expect_ok(self.json("DELETE", f"{self.store(step['store'])}/cookies?{urlencode({'url': step['url']})}"))

    def restart(self, step):
        for name in self.stores:
            self.expect_ok(self.json("POST", f"{self.store(name)}/end-session", {}))

    def advance(self, step):
        self.service.advance(step["seconds"])

    def sync(self, step):
        body = {"from": step["from"], "to": step["to"]}
        self.store(step["from"]), self.store(step["to"])
        return self.expect_ok(self.json("POST", self.jar + "/sync", body))

    def rewrite(self, step):
        body = {"from": step["from_ip"], "to": step["to_host"]}
        return self.expect_ok(self.json("POST", self.store(step["store"]) + "/rewrite-domain", body))

    def changes(self, step):
        since = step.get("since", 0)
        if isinstance(since, str):
            since = self.answers[since]["json"]["revision"]
        query = urlencode({"since": since, "store": step["store"]})
        return self.expect_ok(self.json("GET", f"{self.jar}/changes?{query}"))

    def promote(self, step):
        body = {"lifetime_seconds": step["ttl"], "url": step["url"]}
        return self.expect_ok(self.json("POST", self.store(step["store"]) + "/promote", body))

    def policy(self, step):
        policy = {"main-document": "only_from_main_document"}.get(step["policy"], step["policy"])
        return self.expect_ok(self.json("PUT", self.store(step["store"]), {"accept_policy": policy}))

    def script(self, step):
        return self.expect_ok(self.json("GET", f"{self.store(step['store'])}/document-cookie.js?{urlencode({'url': step['url']})}"))

    def imports(self, step):
        data = base64.b64decode(step["content_base64"]) if "content_base64" in step else step["content"].encode()
        return self.json("POST", f"{self.store(step['store'])}/import?format={step['format']}", data,
                         {"Content-Type": "application/octet-stream"})

    def export(self, step):
        return self.expect_ok(self.json("GET", f"{self.store(step['store'])}/export?format={step['format']}"))


setattr(Run, "import", Run.imports)


def matches(wanted, cookie):
    return all(cookie.get(key) == value for key, value in wanted.items())


def check(expectation, answer):
    """Answers the first thing that is not as it should be, or None."""
    text = answer["text"]
    for key, wanted in expectation.items():
        if key == "step":
            continue
        if key == "header" and text != wanted:
            return f"header: wanted {wanted!r}, got {text!r}"
        if key == "header_any" and text not in wanted:
            return f"header: wanted one of {wanted!r}, got {text!r}"
        if key == "count" and len(answer["cookies"]) != wanted:
            return f"wanted {wanted} cookies, got {[c['name'] for c in answer['cookies']]}"
        if key == "has":
            for one in wanted:
                if not any(matches(one, cookie) for cookie in answer["cookies"]):
                    near = [c for c in answer["cookies"] if c["name"] == one.get("name")]
                    return f"no cookie like {one}, nearest {near}"
        if key == "lacks":
            for one in wanted:
                one = {"name": one} if isinstance(one, str) else one
                if any(matches(one, cookie) for cookie in answer["cookies"]):
                    return f"a cookie like {one} should not be there"
        if key == "contains" and any(part not in text for part in wanted):
            return f"wanted {wanted!r} in {text!r}"
        if key == "excludes" and any(part in text for part in wanted):
            return f"wanted none of {wanted!r} in {text!r}"
        if key == "error" and (answer["status"] >= 400) != wanted:
            return f"error: wanted {wanted}, got {answer['status']} {text[:200]}"
        if key == "rejected" and rejected_count(answer) != wanted:
            return f"rejected: wanted {wanted}, got {rejected_count(answer)} {text[:400]}"
        if key == "json_has":
            listed = answer["json"]
            listed = listed["cookies"] if isinstance(listed, dict) else listed
            for one in wanted:
                if not any(matches(one, cookie) for cookie in listed):
                    return f"no entry like {one} in {text[:400]}"
        if key == "events":
            got = [[c["kind"], c["cookie"]["name"]] for c in answer["json"]["changes"]]
            if [[e["kind"], e["name"]] if isinstance(e, dict) else e for e in wanted] != got:
                return f"events: wanted {wanted}, got {got}"
        if key == "js_sets":
            got = re.findall(r'document\.cookie\s*=\s*("(?:[^"\\]|\\.)*")', text)
            if len(got) != len(wanted):
                return f"script sets {got}, wanted {wanted}"
        if key == "any_of" and all(check(dict(option, step=""), answer) for option in wanted):
            return f"none of {wanted} holds for {text!r}"
    return None


def rejected_count(answer):
    body = answer["json"] or {}
    if "rejected" in body:
        return body["rejected"]
    return sum(result["outcome"] == "rejected" for result in body.get("results", []))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--kinds", default="")
    options.add_argument("file", nargs="?", default=CASES)
    options = options.parse_args()
    kinds = {kind.strip() for kind in options.kinds.split(",") if kind.strip()}
    without, formats = missing_operations(), known_formats()
    skipped_by = collections.defaultdict(list)
    with open(options.file, encoding="utf-8") as file:
        cases = [case for case in json.load(file) if not kinds or case["kind"] in kinds]
    service = Service()
    tally = collections.defaultdict(lambda: [0, 0, 0])
    try:
        for case in cases:
            unknown = sorted({missing_for(step, without, formats) for step in case["steps"]} - {None})
            if unknown:
                tally[case["kind"]][2] += 1
                skipped_by[", ".join(unknown)].append(case["id"])
                continue
            service.set_clock(START)
            run = Run(service, case["id"])
            try:
                for step in case["steps"]:
                    run.step(step)
                faults = [check(e, run.answers[e["step"]]) for e in case["expect"]]
            except (AssertionError, KeyError, TypeError) as fault:
                faults = [f"{type(fault).__name__}: {fault}"]
            faults = [fault for fault in faults if fault]
            tally[case["kind"]][bool(faults)] += 1
            for fault in faults:
                print(f"FAIL {case['id']} ({case['kind']}): {fault}")
    finally:
        service.stop()
    for operations, cases in sorted(skipped_by.items()):
        print(f"skipped, as the API has no {operations} yet: {' '.join(cases)}")
    for kind, (good, bad, skipped) in sorted(tally.items()):
        print(f"{kind}: {good} of {good + bad}" + (f", {skipped} skipped" if skipped else ""))
    good, bad, skipped = (sum(row[n] for row in tally.values()) for n in range(3))
    print(f"{good} passed, {bad} failed, {skipped} skipped")
    return 1 if bad or not good else 0


if __name__ == "__main__":
    sys.exit(main())
