# SPDX-License-Identifier: GPL-2.0-or-later
"""A backend that sleeps 20 ms for each request, and then computes for about 5 ms."""
import hashlib
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(0.02)
        for _ in range(20):
            hashlib.sha256(bytes(400000)).digest()
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", 8099), Handler).serve_forever()
