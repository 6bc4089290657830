#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small login site over TLS, for the smoke test. Usage: login_site.py CERTIFICATE KEY

One server plays two hosts, told apart by the Host header:

    www.example.test/login        sends the browser on to accounts.example.test, remembering the flow
    accounts.example.test/sso     knows the user; sends the browser back with a ticket
    www.example.test/welcome      takes the ticket and sets the session cookies, with every attribute there is
    www.example.test/account/     200 with a session, 401 without
    www.example.test/account/echo the Cookie header as it came
    www.example.test/logout       expires what welcome has set
    www.example.test/direct       a login in one step, for a client that connects to the bare address

Prints its port on one line once it listens.
"""

import secrets
import ssl
import sys
from email.utils import formatdate
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import time
from urllib.parse import parse_qs, urlsplit

WWW, ACCOUNTS = "www.example.test", "accounts.example.test"
flows, tickets, sessions = set(), set(), set()


def session_cookies(sid, end=None):
    """The cookies of a session. `end` makes the lines that expire them."""
    expires = end or formatdate(time() + 86_400, usegmt=True)
    age = "0" if end else "86400"
    return [
        f"__Secure-pref=compact; Path=/; Secure; Max-Age={age}; SameSite=Strict",
        f"__Host-sid={sid}; Path=/; Secure; HttpOnly; SameSite=Lax" + (f"; Expires={end}" if end else ""),
        f"widget=1; Path=/; Secure; SameSite=None; Partitioned; Max-Age={age}",
        f"session={sid}; Domain=.example.test; Path=/; Secure; HttpOnly; Expires={expires}",
        f"lang=de; domain=EXAMPLE.test; path=/; expires={expires}; Max-Age={age}",
        f"theme=dark; Path=/account; SameSite=None; Secure; Max-Age={age}",
    ]


# What no jar may take: another site's cookie, one for a whole suffix, a prefix that is not kept.
REFUSED = ["evil=1; Domain=other.test", "wide=1; Domain=test", "__Host-fake=1; Path=/x; Secure"]


class Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urlsplit(self.path)
        host = self.headers.get("Host", "").partition(":")[0]
        action = {
            (WWW, "/login"): self.login,
            (ACCOUNTS, "/sso"): self.sso,
            (WWW, "/welcome"): self.welcome,
            (WWW, "/account/"): self.account,
            (WWW, "/account/echo"): self.echo,
            (WWW, "/logout"): self.logout,
            (WWW, "/direct"): self.direct,
        }.get((host, url.path))
        if action:
            action(parse_qs(url.query))
        else:
            self.answer(404, "no such page")

    def login(self, _query):
        flow = secrets.token_hex(8)
        flows.add(flow)
        self.answer(302, "", [f"flow={flow}; Path=/; HttpOnly; Secure; SameSite=Lax"], f"https://{ACCOUNTS}/sso")

    def sso(self, _query):
        ticket = secrets.token_hex(8)
        tickets.add(ticket)
        cookies = ["sso=alice; Path=/sso; Secure; HttpOnly; Max-Age=3600", "__Host-acc=1; Path=/; Secure"]
        self.answer(302, "", cookies, f"https://{WWW}/welcome?ticket={ticket}")

    def welcome(self, query):
        ticket = query.get("ticket", [""])[0]
        if ticket not in tickets or self.cookie("flow") not in flows:
            self.answer(403, "the flow cookie or the ticket is missing")
            return
        tickets.discard(ticket)
        self.answer(200, "welcome", self.begin() + ["flow=; Path=/; Max-Age=0; Secure"] + REFUSED)

    def direct(self, _query):
        self.answer(200, "welcome", self.begin())

    def begin(self):
        sid = secrets.token_hex(16)
        sessions.add(sid)
        return session_cookies(sid)

    def account(self, _query):
        if self.cookie("__Host-sid") in sessions:
            self.answer(200, "logged in as alice")
        else:
            self.answer(401, "log in first")

    def echo(self, _query):
        self.answer(200, self.headers.get("Cookie", ""))

    def logout(self, _query):
        sessions.discard(self.cookie("__Host-sid"))
        self.answer(200, "bye", session_cookies("", end="Thu, 01 Jan 1970 00:00:00 GMT"))

    def cookie(self, name):
        cookies = SimpleCookie(self.headers.get("Cookie", ""))
        return cookies[name].value if name in cookies else None

    def answer(self, status, text, cookies=(), location=None):
        body = text.encode()
        self.send_response(status)
        for cookie in cookies:
            self.send_header("Set-Cookie", cookie)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments):
        pass


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    server.serve_forever()


main()
