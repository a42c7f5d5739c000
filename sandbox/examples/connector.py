"""A channel connector that uses Python's standard library only. It verifies signatures, assigns ids to messages, and reports statuses.

Set POSTHORN_API, POSTHORN_NUMBER, POSTHORN_SECRET and POSTHORN_TOKEN from the response that created the channel, and optionally PORT.
"""
import base64, hashlib, hmac, json, os, threading, time, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

env, sent = os.environ, set()  # A real connector stores what it has sent for some minutes.


def is_signed(body, header):  # The signature covers the raw bytes: verify it before parsing.
    expected = base64.b64encode(hmac.new(env["POSTHORN_SECRET"].encode(), body, hashlib.sha256).digest())
    return hmac.compare_digest(expected, (header or "").encode("latin-1"))


def post(what, body):
    url = f"{env['POSTHORN_API']}/v1/numbers/{env['POSTHORN_NUMBER']}/{what}"
    headers = {"authorization": f"Bearer {env['POSTHORN_TOKEN']}", "content-type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=10).close()


def deliver(id, payload):
    """A real connector passes the message to its messaging service here, and reports the statuses that it receives."""
    for status in ("sent", "delivered"):
        post("statuses", {"status": {"id": id, "recipient_id": payload["to"], "status": status, "timestamp": str(int(time.time()))}})


class Connector(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if not is_signed(body, self.headers["x-svc-hook-signature"]):
            return self.answer(401, {"signature": "rejected"})
        try:
            payload = json.loads(body)
            payload["turn"]
        except (ValueError, KeyError):
            return self.answer(400, {"error": "this is not a message to a contact"})
        id = self.headers["x-svc-hook-delivery"]  # The same in every attempt of a delivery. An equal message has another one.
        # Respond within five seconds and do the work afterwards. From now on the platform knows the message by this id.
        self.answer(200, {"messages": [{"id": id}], "signature": "ok"})
        # Otherwise the response to an earlier attempt was lost. A redelivery is another run: an operator wants it sent again.
        if (run := (id, self.headers["x-svc-hook-run"])) not in sent:
            sent.add(run)
            threading.Thread(target=deliver, args=(id, payload)).start()

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    log_message = staticmethod(lambda *_: None)


server = ThreadingHTTPServer(("127.0.0.1", int(env.get("PORT", "0"))), Connector)
print(f"connector on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
