"""An integration that uses Python's standard library only: a panel beside a conversation, with an action. It creates itself with the admin API.

Environment variables: POSTHORN_API, POSTHORN_ADMIN_KEY and POSTHORN_NUMBER (`npx posthorn env` prints them), and PORT.
"""
import base64, hashlib, hmac, json, os, threading, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

env, VERSION, secret = os.environ, "1.0.0-alpha", ""
orders = {"A-17": "on its way"}
OBJECTS = [{"title": "Customer", "code": "customer", "type": "table"}]
HANDSHAKE = {"version": VERSION, "capabilities": {"actions": True, "suggested_responses": False, "context_objects": OBJECTS}}


def panel(call):
    """Look up your data about the owner of the conversation here."""
    customer = {"Number": call["chat"]["owner"], **orders}
    cancel = {"description": "Cancel order A-17", "url": "actions/cancel", "payload": {"order": "A-17"}}
    return {"version": VERSION, "context_objects": {"customer": customer}, "actions": {"cancel": cancel}}


def is_signed(body, header):  # Every call is signed, including the handshake. The signature covers the raw bytes: verify before parsing.
    expected = base64.b64encode(hmac.new(secret.encode(), body, hashlib.sha256).digest())
    return bool(secret) and hmac.compare_digest(expected, (header or "").encode("latin-1"))


class Integration(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_signed(body, self.headers["x-svc-hook-signature"]):
            return self.answer(401, {})
        call = json.loads(body)
        if self.path == "/actions/cancel":
            orders["A-17"] = "cancelled"  # With this header the platform loads the panel again.
            return self.answer(200, {}, {"x-svc-integration-refresh": "true"})
        self.answer(200, HANDSHAKE if call.get("handshake") else panel(call))

    def answer(self, status, body, headers={}):
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    log_message = staticmethod(lambda *_: None)


def admin(method, path, body):
    headers = {"authorization": f"Bearer {env['POSTHORN_ADMIN_KEY']}", "content-type": "application/json"}
    request = urllib.request.Request(f"{env['POSTHORN_API']}/admin/v1{path}", json.dumps(body).encode(), headers, method=method)
    return json.load(urllib.request.urlopen(request, timeout=10))


server = ThreadingHTTPServer(("127.0.0.1", int(env.get("PORT", "0"))), Integration)
threading.Thread(target=server.serve_forever).start()
url = f"http://127.0.0.1:{server.server_port}"
made = admin("POST", "/integrations", {"number": env["POSTHORN_NUMBER"], "name": "Orders", "url": url, "enabled": False})
secret = made["hmac_secret"]  # Only this response contains it. The handshake, which needs it, follows when the integration is enabled.
admin("PATCH", f"/integrations/{made['integration']['uuid']}", {"enabled": True})
print(f"integration on {url}", flush=True)
