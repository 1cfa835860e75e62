"""Stands in for chat/web/server.py to test starting and stopping: answers /readyz on the shared socket."""

import argparse
import http.server
import os
import signal
import socket
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = str(os.getpid()).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("--after", type=int, required=True)
    parser.add_argument("name")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
    options = parser.parse_args()
    server.socket = socket.socket(fileno=options.fd)
    os.read(options.after, 1)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server.serve_forever()


if __name__ == "__main__":
    main()
