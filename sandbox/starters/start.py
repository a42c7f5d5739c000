"""Starts a server on the port PORT, or says in one line why it cannot start."""
import errno, json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def start(name, handler, variables):
    missing = [variable for variable in variables if not os.environ.get(variable)]
    if missing:
        sys.exit(f"{name}: set {', '.join(missing)}, as README.md shows")
    port = os.environ.get("PORT") or "3000"
    try:
        server = ThreadingHTTPServer(("127.0.0.1", int(port)), handler)
    except OSError as error:
        in_use = f"port {port} is in use; set PORT to another, and use its URL on your platform"
        sys.exit(f"{name}: {in_use if error.errno == errno.EADDRINUSE else error}")
    print(f"{name} on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


class Handler(BaseHTTPRequestHandler):
    def answer(self, status, body, headers={}):
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    log_message = staticmethod(lambda *_: None)
