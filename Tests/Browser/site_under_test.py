# SPDX-License-Identifier: Apache-2.0
"""A web site for a browser to visit: answers every path under every host name, over TLS or without, and keeps what each
request's `Cookie` field held, as bytes.
"""

import http.server
import ssl
import subprocess
import threading

PAGE = b"<!doctype html><meta charset=utf-8><title>site</title>"


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """A browser that closes a connection early is no news."""


class Site:
    """One port; `script` is put into a script element of every page, `set_cookies` has the `Set-Cookie` lines of the
    answers, by path."""

    def __init__(self, directory, secure):
        self.requests = {}
        self.script = b""
        self.set_cookies = {}
        self.server = Server(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        if secure:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate(directory))
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.scheme = "https" if secure else "http"
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, host, path="/"):
        return f"{self.scheme}://{host}:{self.port}{path}"

    def _handler(site):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                # Field values come decoded as ISO 8859-1, so this gives back their bytes.
                site.requests[self.path] = self.headers.get("Cookie", "").encode("latin-1")
                script = b"<script>" + site.script + b"</script>" if site.script else b""
                body = PAGE + script
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                for line in site.set_cookies.get(self.path, []):
                    self.send_header("Set-Cookie", line.decode("latin-1"))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def certificate(directory):
    """A certificate for one day that nobody trusts, and its key."""
    files = [f"{directory}/{name}.pem" for name in ("certificate", "key")]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
         "-subj", "/CN=test", "-out", files[0], "-keyout", files[1]],
        check=True, capture_output=True)
    return files
