"""An integration: a panel with data and actions beside a conversation. See README.md."""
import base64, hashlib, hmac, json, os
from start import Handler, start

env = os.environ
VERSION = "1.0.0-alpha"
HANDSHAKE = {
    "version": VERSION,
    "capabilities": {
        "actions": True,
        "suggested_responses": True,
        "context_objects": [
            {"title": "Customer", "code": "customer", "type": "table"},
            {"title": "Orders", "code": "orders", "type": "ordered-list"},
        ],
    },
}


def update(call):
    """The panel of a conversation. Look up the data of the owner here."""
    return {
        "version": VERSION,
        "context_objects": {"customer": {"Number": call["chat"]["owner"]}, "orders": ["A book", "A *signed* print"]},
        "actions": {"cancel": {"description": "Cancel the order", "url": "actions/cancel", "payload": {"order": 1}}},
        "suggested_responses": [{"type": "TEXT", "title": "Thanks", "body": "Thank you for your order", "confidence": 0.9}],
    }


def is_signed(body, header, secret):
    """The signature covers the raw bytes: verify it before parsing."""
    expected = base64.b64encode(hmac.new(secret.encode(), body, hashlib.sha256).digest())
    return bool(secret) and hmac.compare_digest(expected, (header or "").encode("latin-1"))


class Integration(Handler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_signed(body, self.headers.get("x-svc-hook-signature"), env.get("POSTHORN_SECRET", "")):
            return self.answer(401, {})
        try:
            call = json.loads(body)
            if call.get("handshake"):
                return self.answer(200, HANDSHAKE)
            if self.path == "/actions/cancel":
                # Do what the action says here. With this header the platform loads the panel again.
                return self.answer(200, {}, {"x-svc-integration-refresh": "true"})
            return self.answer(200, update(call))
        except (ValueError, KeyError) as error:
            return self.answer(400, {"error": str(error)})


if __name__ == "__main__":
    start("integration", Integration, ["POSTHORN_SECRET"])
