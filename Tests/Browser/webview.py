#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `document-cookie.js` against a real browser: headless Chromium runs the script at the start of a document of a
local site, and then `document.cookie`, the next request's `Cookie` field and each cookie's attributes must be what the
store says. CS_TEST_BINARY names the binary under test.
"""

import base64
import json
import pathlib
import random
import re
import sys
import tempfile
from urllib.parse import unquote_to_bytes, urlencode, urlsplit

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Conformance"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from chromium import Chromium, Page  # noqa: E402
from service import Service, rfc3339  # noqa: E402
from site_under_test import Site  # noqa: E402

WWW = "www.example.com"

# Name and value of cookies that try to get out of a string, a comment, a line or an element.
HOSTILE = [
    ("q", "O'Neil\"x\\y"), ("x", "</script><b>"), ("c", "<!--<script>"), ("d", "-->"), ("u", "a\u2028b\u2029c"),
    ("e", "'+(globalThis.pwned=1)+'"), ("f", "\"+(globalThis.pwned=1)+\""), ("g", "`${globalThis.pwned=1}`"),
    ("h", "*/globalThis.pwned=1/*"), ("i", "\\"), ("j", "\\u0022"), ("k", "a=b=c"), ("l", ""), ("m", "a b  c"),
    ("n", "\u00e9\u4e2d\U0001f36a"), ("o", "\"quoted\""), ("p", "&lt/script&gt]]>"), ("r", "\ufeffx\ufeff"),
    ("s", "x" * 4000), ("", "nameless"), ("</script>", "1"), ("*/", "1"), ("\"'\\`", "1"), ("\u2028", "1"),
    ("a b", "1"), ("t", "".join(chr(c) for c in range(0x21, 0x7F) if c != 0x3B)), ("v", "\u0080\u009f\u00a0z"),
]


class Bench:
    """The parts of one run, and the tally."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="cookiesync-site.")
        self.service = Service()
        self.secure = Site(self.directory.name, secure=True)
        self.plain = Site(self.directory.name, secure=False)
        self.browser = Chromium()
        self.jars = 0
        self.good = self.bad = 0

    def stop(self):
        self.browser.stop()
        self.plain.stop()
        self.secure.stop()
        self.service.stop()
        self.directory.cleanup()

    def check(self, what, holds, *details):
        if holds:
            self.good += 1
        else:
            self.bad += 1
            print(f"FAIL {what}", *details)

    def store(self):
        """A store of a fresh jar."""
        self.jars += 1
        return Store(self.service, f"/v1/tenants/browser/jars/{self.jars}/stores/native")


class Store:
    """One store of the service."""

    def __init__(self, service, path):
        self.service, self.path = service, path

    def get(self, operation, headers=None, **query):
        status, fields, body = self.service.call("GET", f"{self.path}/{operation}?{urlencode(query, doseq=True)}",
                                                 headers=headers)
        if status != 200:
            raise AssertionError(f"{operation}: {status}")
        return fields, body

    def ingest(self, url, *lines):
        status, _, body = self.service.call(
            "POST", f"{self.path}/ingest?{urlencode({'url': url})}",
            b"HTTP/1.1 200 OK\r\n" + b"".join(b"Set-Cookie: %s\r\n" % line for line in lines) + b"\r\n",
            {"Content-Type": "message/http"})
        outcomes = [result["outcome"] for result in json.loads(body).get("results", [])]
        if status != 200 or set(outcomes) - {"stored"}:
            raise AssertionError(f"ingest: {status} {outcomes}")

    def put(self, *cookies):
        status, _, body = self.service.call("PUT", f"{self.path}/cookies", list(cookies))
        if status != 200:
            raise AssertionError(f"put: {status} {body[:300]}")

    def script(self, url):
        fields, body = self.get("document-cookie.js", url=url)
        assert fields["Content-Type"] == "text/javascript; charset=utf-8"
        assert fields["X-Content-Type-Options"] == "nosniff"
        return body.decode("ascii")

    def header(self, url, **query):
        return self.get("cookie-header", {"Accept": "text/plain"}, url=url, **query)[1]

    def cookies(self):
        return json.loads(self.get("cookies", limit=500)[1])["cookies"]


def left_out(script):
    """The names that the script's comment says it cannot set."""
    found = re.search(r"^  // Need a native set \(names percent-encoded\):(.*)$", script, re.MULTILINE)
    return [unquote_to_bytes(name) for name in re.findall(r"((?:%[0-9A-F]{2})*) \([a-z0-9-]+\)", found.group(1))] \
        if found else []


def pairs(header):
    return header.split(b"; ") if header else []


def text_of(cookie, member):
    """The bytes of a member that may be given in base 64."""
    return cookie[member].encode() if member in cookie else base64.b64decode(cookie[member + "_base64"])


def pair_of(cookie):
    """A cookie as it stands in a header."""
    name, value = text_of(cookie, "name"), text_of(cookie, "value")
    return name + b"=" + value if name else value


def difference(wanted, got):
    """The first cookies that two headers do not have in common."""
    wanted, got = pairs(wanted), pairs(got)
    missing, extra = [p for p in wanted if p not in got], [p for p in got if p not in wanted]
    return f"missing {missing[:3]}, extra {extra[:3]}" if missing or extra else f"order {got[:8]}"


def expected(store, url, script):
    """The header of the cookies that the script can set, out of what the store says."""
    names = left_out(script)
    left = {pair_of(cookie) for cookie in store.cookies() if text_of(cookie, "name") in names}
    return b"; ".join(pair for pair in pairs(store.header(url, http_api="false")) if pair not in left)


def visit(bench, what, site, store, host, path="/"):
    """Runs the store's script in a page, loads it again and compares what the browser then has."""
    url = site.url(host, path)
    script = store.script(url)
    wanted = expected(store, url, script)
    page = Page(bench.browser, script)
    try:
        page.load(url)
        read = page.evaluate("document.cookie")
        bench.check(f"{what}: document.cookie", read.encode() == wanted, difference(wanted, read.encode()))
        bench.check(f"{what}: nothing ran", page.evaluate("typeof globalThis.pwned") == "undefined")
        again = path + ("&" if "?" in path else "?") + "again"
        page.load(site.url(host, again))
        sent = site.requests[again]
        bench.check(f"{what}: Cookie of the next request", sent == wanted, difference(wanted, sent))
        return script, page.cookies()
    finally:
        page.close()


def hostile_values(bench):
    store = bench.store()
    url = bench.secure.url(WWW)
    store.put(*({"name": name, "value": value, "domain": WWW} for name, value in HOSTILE))
    script, _ = visit(bench, "hostile values", bench.secure, store, WWW)
    bench.check("hostile values: all are set", script.count("document.cookie = ") == len(HOSTILE))
    # The same script in an element of the page.
    bench.secure.script = script.encode()
    page = Page(bench.browser)
    try:
        page.load(url)
        read, wanted = page.evaluate("document.cookie").encode(), expected(store, url, script)
        bench.check("in a script element", read == wanted, read)
        bench.check("in a script element: nothing ran", page.evaluate("typeof globalThis.pwned") == "undefined")
        bench.check("in a script element: nothing shown", page.evaluate("document.body.textContent.trim()") == "")
    finally:
        bench.secure.script = b""
        page.close()


def refused_syntax(bench):
    """What the browser takes from no script is left out, as is seen when a script tries."""
    store = bench.store()
    store.put({"name": "", "value": "a=b", "domain": WWW}, {"name": "t", "value": "a\tb", "domain": WWW},
              {"name": "n\tm", "value": "1", "domain": WWW}, {"name": "ok", "value": "1", "domain": WWW})
    script, _ = visit(bench, "refused syntax", bench.secure, store, WWW)
    bench.check("refused syntax: named", set(left_out(script)) == {b"", b"t", b"n\tm"}, left_out(script))
    page = Page(bench.browser, 'document.cookie = "=a=b"; document.cookie = "t=a\\tb"; document.cookie = "n\\tm=1"')
    try:
        page.load(bench.secure.url(WWW))
        bench.check("refused syntax: the browser agrees", page.evaluate("document.cookie") == "")
    finally:
        page.close()


def random_values(bench):
    chance = random.Random(7)
    alphabet = [chr(c) for c in list(range(0x21, 0x7F)) + [0x20, 0x09, 0xE9, 0x2028, 0x2029, 0xFEFF, 0xFFFD, 0x1F36A]
                if c != 0x3B]

    def text(longest):
        return "".join(chance.choice(alphabet) for _ in range(chance.randint(1, longest))).strip(" \t") or "x"

    store = bench.store()
    names = {text(8).replace("=", "-") for _ in range(100)}
    store.put(*({"name": name, "value": text(40), "domain": WWW} for name in sorted(names)
                if not name.lower().startswith("__")))
    visit(bench, "random values", bench.secure, store, WWW)


def native_ones(bench):
    """What no script can set is left out and named."""
    store = bench.store()
    url = bench.secure.url(WWW, "/a;b/page")
    store.ingest(
        url, b"sid=secret1; HttpOnly; Path=/", b"*/\xe2\x80\xa8globalThis.pwned=1//=secret2; HttpOnly; Path=/",
        b"__Http-x=secret3; HttpOnly; Secure; Path=/", b"__Host-Http-x=secret4; HttpOnly; Secure; Path=/",
        b"raw=\xff\xfe; Path=/", b"deep=1", b"ui=1; Path=/")
    script, _ = visit(bench, "native ones", bench.secure, store, WWW, "/a;b/page")
    named = {b"sid", b"*/\xe2\x80\xa8globalThis.pwned", b"__Http-x", b"__Host-Http-x", b"raw", b"deep"}
    bench.check("native ones: named in the comment", set(left_out(script)) == named, left_out(script))
    bench.check("native ones: no secret in the script", "secret" not in script and "sid" not in script)


def attributes(bench):
    """Every attribute arrives in the browser."""
    store = bench.store()
    url = bench.secure.url(WWW, "/shop/cart")
    store.ingest(
        url, b"host=1; Path=/", b"wide=1; Path=/; Domain=example.com", b"deep=1; Path=/shop", b"default=1",
        b"secure=1; Path=/; Secure", b"lax=1; Path=/; SameSite=Lax", b"strict=1; Path=/; SameSite=Strict",
        b"none=1; Path=/; SameSite=None; Secure", b"age=1; Path=/; Max-Age=3600",
        b"__Host-h=1; Path=/; Secure", b"__Secure-s=1; Path=/; Secure; Domain=example.com",
        b"part=1; Path=/; Secure; Partitioned; SameSite=None", b"other=1; Path=/elsewhere")
    _, cookies = visit(bench, "attributes", bench.secure, store, WWW, "/shop/cart")
    found = {cookie["name"]: cookie for cookie in cookies}
    kept = [cookie for cookie in store.cookies() if cookie["name"] != "other"]
    bench.check("attributes: the cookies", set(found) == {cookie["name"] for cookie in kept}, set(found))
    for cookie in kept:
        there = found.get(cookie["name"], {})
        name = cookie["name"]
        domain = cookie["domain"] if cookie["host_only"] else "." + cookie["domain"]
        bench.check(f"attributes: domain of {name}", there.get("domain") == domain, there.get("domain"))
        bench.check(f"attributes: path of {name}", there.get("path") == cookie["path"], there.get("path"))
        bench.check(f"attributes: Secure of {name}", there.get("secure") == cookie["secure"])
        bench.check(f"attributes: SameSite of {name}",
                    there.get("sameSite", "").lower() == (cookie["same_site"] or ""), there.get("sameSite"))
        bench.check(f"attributes: partition of {name}",
                    ("partitionKey" in there) == (cookie["partition_key"] is not None), there.get("partitionKey"))
        expires = -1 if cookie["expires"] is None else int(rfc3339(cookie["expires"]).timestamp())
        bench.check(f"attributes: end of {name}", there.get("expires") == expires, there.get("expires"))


def guard(bench):
    """Another host's page, a parent's or a child's, is left alone."""
    store = bench.store()
    store.ingest(bench.secure.url(WWW), b"a=1; Path=/", b"b=1; Path=/; Domain=example.com")
    script = store.script(bench.secure.url(WWW))
    for host in ("example.com", "deep.www.example.com", "www.example.com.evil.test", "other.test"):
        page = Page(bench.browser, script)
        try:
            page.load(bench.secure.url(host))
            bench.check(f"guard: {host}", page.evaluate("document.cookie") == "")
        finally:
            page.close()


def plain_http(bench):
    """Secure cookies stay out of a page without TLS; a loopback page counts as secure."""
    store = bench.store()
    store.ingest(bench.secure.url(WWW), b"a=1; Path=/", b"b=1; Path=/; Secure")
    script, _ = visit(bench, "plain http", bench.plain, store, WWW)
    bench.check("plain http: one cookie", script.count("document.cookie = ") == 1)
    store = bench.store()
    store.ingest(bench.plain.url("localhost"), b"a=1; Path=/", b"b=1; Path=/; Secure")
    visit(bench, "localhost", bench.plain, store, "localhost")
    store = bench.store()
    store.ingest(bench.plain.url("[::1]"), b"a=1; Path=/")
    bench.check("an address as host", '"[::1]"' in store.script(bench.plain.url("[::1]")))


def international_host(bench):
    store = bench.store()
    store.ingest(bench.secure.url("b\u00fccher.example"), b"a=1; Path=/")
    visit(bench, "international host", bench.secure, store, "b\u00fccher.example")


def header_order(bench):
    """Longer paths first, then by creation, as the store sends them."""
    store = bench.store()
    url = bench.secure.url(WWW, "/a/b/c")
    for line in (b"z=1; Path=/", b"y=1; Path=/a/b", b"x=1; Path=/", b"w=1; Path=/a", b"v=1; Path=/a/b", b"u=1; Path=/a"):
        store.ingest(url, line)
    visit(bench, "header order", bench.secure, store, WWW, "/a/b/c")


def plan(bench):
    """A plan's native cookies, then its script, give the browser all that the store has, on every host that was named."""
    store = bench.store()
    pages = [("www.example.com", "/"), ("shop.example.com", "/a;b/page"), ("login.example.com", "/")]
    urls = [bench.secure.url(*page) for page in pages]
    store.ingest(urls[0], b"sid=1; Path=/; HttpOnly; Secure; Domain=example.com; Max-Age=3600", b"lang=en; Path=/",
                 b"__Host-Http-x=2; Path=/; HttpOnly; Secure", b"q=\"</script>; Path=/")
    store.ingest(urls[1], b"deep=1", b"cart=7; Path=/; SameSite=Strict")
    body = json.loads(store.get("webview-plan", url=urls)[1])
    bench.check("plan: native cookies", [native["name"] for native in body["native"]] == ["sid", "__Host-Http-x", "deep"])
    page = Page(bench.browser, body["script"])
    try:
        for native in body["native"]:
            # What Android's CookieManager does with URL and line, an answer from that URL does here.
            call = urlsplit(native["android"]["url"])
            bench.secure.set_cookies = {call.path: [native["android"]["line"].encode()]}
            page.load(bench.secure.url(call.hostname, call.path))
            bench.secure.set_cookies = {}
        for (host, path), request in zip(pages, body["requests"]):
            page.load(bench.secure.url(host, path))
            page.load(bench.secure.url(host, path + "?again"))
            sent, wanted = bench.secure.requests[path + "?again"], request["cookie"].encode()
            bench.check(f"plan: what {host} gets", sorted(pairs(sent)) == sorted(pairs(wanted)), difference(wanted, sent))
            bench.check(f"plan: the header for {host}", wanted == store.header(bench.secure.url(host, path)))
        there = {cookie["name"]: cookie for cookie in page.cookies()}
        for name in ("sid", "__Host-Http-x"):
            bench.check(f"plan: {name} is HttpOnly", there.get(name, {}).get("httpOnly") is True)
    finally:
        bench.secure.set_cookies = {}
        page.close()


def main():
    bench = Bench()
    try:
        for part in (hostile_values, refused_syntax, random_values, native_ones, attributes, guard, plain_http,
                     international_host, header_order, plan):
            part(bench)
    finally:
        bench.stop()
    print(f"{bench.good} passed, {bench.bad} failed")
    return 1 if bench.bad or not bench.good else 0


if __name__ == "__main__":
    sys.exit(main())
