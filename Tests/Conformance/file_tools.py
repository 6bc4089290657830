#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is exported as cookies.txt, read by the tools that it is for: curl, wget and Python's MozillaCookieJar.

The same cookies are asked for by a web server that both tools are sent to, and compared with the `Cookie` header that the
service gives for the same URL.
"""

import http.cookiejar
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.request

from service import Service

LINES = [
    "plain=1; Path=/", "http=2; Path=/; HttpOnly", "empty=; Path=/", "path=3; Path=/x",
    "later=4; Path=/; Max-Age=600", "odd=%7B\"a\":[1]}+z; Path=/", "wide=5; Path=/; Domain=localtest.example",
    "strict=6; Path=/; SameSite=Strict",
]
HOST = "www.localtest.example"


class Recorder(http.server.BaseHTTPRequestHandler):
    seen = []

    def do_GET(self):
        self.seen.append(self.headers.get("Cookie", ""))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def pairs(header):
    return sorted(part.strip() for part in header.split(";") if part.strip())


def main():
    for tool in ("curl", "wget"):
        if shutil.which(tool) is None:
            sys.exit(f"no {tool}: run scripts/setup test")
    service = Service()
    server = http.server.HTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    directory = tempfile.mkdtemp(prefix="cookiesync-tools.")
    failed = 0
    try:
        store = "/v1/tenants/tools/jars/alice/stores/native"
        url = f"http://{HOST}/x/y"
        body = {"url": url, "headers": [["Set-Cookie", line] for line in LINES]}
        service.call("POST", f"{store}/ingest", body)
        status, _, wanted = service.call("GET", f"{store}/cookie-header?url={url}", headers={"Accept": "text/plain"})
        assert status == 200, status
        path = os.path.join(directory, "cookies.txt")
        with open(path, "wb") as file:
            file.write(service.call("GET", f"{store}/export?format=netscape")[2])

        # Both tools go through a proxy of our own, so that the host need not exist.
        proxy = f"http://127.0.0.1:{port}"
        subprocess.run(["curl", "-sS", "-b", path, "-x", proxy, url], check=True)
        environment = dict(os.environ, http_proxy=proxy, no_proxy="")
        subprocess.run(["wget", "-q", "-O", os.devnull, "--load-cookies", path, url], check=True, env=environment)
        jar = http.cookiejar.MozillaCookieJar(path)
        jar.load(ignore_discard=True, ignore_expires=True)
        names = {cookie.name for cookie in jar}
        # Python takes the 0 of a session cookie, which all the others understand, for 1970; its users put that right.
        for cookie in jar:
            cookie.expires = cookie.expires or None
        request = urllib.request.Request(url)
        jar.add_cookie_header(request)
        for tool, got in zip(("curl", "wget", "python"), Recorder.seen + [request.get_header("Cookie") or ""]):
            # Lines with `#HttpOnly_` are comments to wget, whatever anyone writes.
            right = [pair for pair in pairs(wanted.decode()) if tool != "wget" or not pair.startswith("http=")]
            if pairs(got) != right:
                failed += 1
                print(f"FAIL {tool}: {pairs(got)}, wanted {right}")
        if names != {line.split("=")[0] for line in LINES}:
            failed += 1
            print(f"FAIL python has {sorted(names)}")
        # What curl writes comes back as the same store.
        again = os.path.join(directory, "again.txt")
        subprocess.run(["curl", "-sS", "-b", path, "-c", again, "-x", proxy, url], check=True)
        with open(again, "rb") as file:
            answer = json.loads(service.call("POST", f"{store}/import", file.read(), {"Content-Type": "text/plain"})[2])
        if answer["rejected"] or answer["stored"]:
            failed += 1
            print(f"FAIL what curl wrote: {answer}")
    finally:
        server.shutdown()
        service.stop()
        shutil.rmtree(directory, ignore_errors=True)
    print(f"{5 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
