"""A channel connector: it receives messages to contacts, and posts messages of contacts and statuses. See README.md."""
import base64, hashlib, hmac, json, os, threading, time, urllib.error, urllib.request, uuid
from start import Handler, start

env, questions, sent, now = os.environ, {}, set(), lambda: str(int(time.time()))  # questions has the last one to each contact.


def is_signed(body, header, secret):  # The signature covers the raw bytes: verify it before parsing.
    expected = base64.b64encode(hmac.new(secret.encode(), body, hashlib.sha256).digest())
    return bool(secret) and hmac.compare_digest(expected, (header or "").encode("latin-1"))


def options_of(turn):
    action = turn.get("interactive", {}).get("action", {})
    return [b["reply"] for b in action.get("buttons", [])] + [row for s in action.get("sections", []) for row in s["rows"]]


def text_of(turn):  # Every kind of message as plain text.
    if "template" in turn:
        return " ".join(p.get("text", "") for c in turn["template"].get("components", []) for p in c["parameters"])
    content = turn.get(turn["type"], {})
    if turn["type"] == "interactive":
        return "\n".join([content["body"]["text"]] + [f"{i}. {option['title']}" for i, option in enumerate(options_of(turn), 1)])
    return "\n".join(filter(None, [content.get("body"), content.get("caption"), content.get("link")]))


def post(what, body):
    url = f"{env['POSTHORN_API']}/v1/numbers/{env['POSTHORN_NUMBER']}/{what}"
    headers = {"authorization": f"Bearer {env['POSTHORN_TOKEN']}", "content-type": "application/json"}
    try:
        urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=10).close()
    except urllib.error.HTTPError as refused:
        raise OSError(f"{what} got {refused.code} {refused.read().decode()}") from None


def report(id, to, status):
    post("statuses", {"status": {"id": id, "recipient_id": to, "status": status, "timestamp": now()}})


def deliver(id, payload):
    """Passes a message to the contact. Replace the body by a call of your messaging service."""
    print(f"to {payload['to']}: {text_of(payload['turn'])}", flush=True)
    [report(id, payload["to"], status) for status in ("sent", "delivered")]


def act(a):
    """A contact acts: your messaging service calls this, and `posthorn conform --drive`."""
    if "status" in a:
        return report(a["id"], a["from"], a["status"])
    message = {"from": a["from"], "id": str(uuid.uuid4()), "timestamp": now()}
    question, kind, options = questions.get(a["from"], (None, None, []))
    tapped = [{"id": o["id"], "title": o["title"]} for o in options if o["title"] == a.get("tap")]
    if tapped:
        message |= {"type": "interactive", "interactive": {"type": kind, kind: tapped[0]}, "context": {"id": question}}
    else:
        quote = {"context": {"id": a["quote"]}} if "quote" in a else {}
        message |= a.get("message", {"type": "text", "text": {"body": a.get("text", a.get("tap"))}}) | quote
    post("messages", {"contact": {"id": a["from"], "profile": {"name": a["from"]}}, "message": message})


class Connector(Handler):
    def do_POST(self):
        body, signature = self.rfile.read(int(self.headers.get("content-length", 0))), self.headers.get("x-svc-hook-signature")
        try:
            if self.path == "/phone":
                return self.answer(200, act(json.loads(body)))
            if not is_signed(body, signature, env["POSTHORN_SECRET"]):
                return self.answer(401, {"error": "signature"})
            payload = json.loads(body)
            payload["turn"]
        except (ValueError, KeyError, TypeError, OSError) as error:  # A 4XX cancels retries, which would bring the same body.
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            return self.answer(502 if self.path == "/phone" else 400, {"error": reason})
        id, turn = self.headers["x-svc-hook-delivery"], payload["turn"]  # The id is the same in every attempt of a delivery.
        if options_of(turn):
            questions[payload["to"]] = (id, turn["interactive"]["type"] + "_reply", options_of(turn))
        self.answer(200, {"messages": [{"id": id}]})
        if (run := (id, self.headers["x-svc-hook-run"])) not in sent:  # A redelivery is another run.
            sent.add(run)
            threading.Thread(target=deliver, args=(id, payload)).start()


if __name__ == "__main__":
    threading.excepthook = lambda failed: print(f"connector: {failed.exc_value}", flush=True)
    start("connector", Connector, ["POSTHORN_API", "POSTHORN_NUMBER", "POSTHORN_TOKEN", "POSTHORN_SECRET"])
