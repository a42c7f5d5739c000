"""Drives the stand-in with pywa, an independent client. Prints one line of JSON."""
import base64
import json
import sys

import httpx
from pywa import WhatsApp, types

given = json.loads(sys.argv[1])
wa = WhatsApp(
    phone_id=given["phoneNumberId"], token=given["accessToken"], waba_id=given["wabaId"],
    app_secret=given["appSecret"], verify_token=given["verifyToken"], server=None, session=httpx.Client(),
)
wa.api._session.base_url = f"{given['url']}/v25.0"
received = []


@wa.on_message
def on_message(_: WhatsApp, message: types.Message) -> None:
    received.append(message.text)


body = base64.b64decode(given["webhook"])
accepted = wa.webhook_update_validator(body, given["signature"])
forged = wa.webhook_update_validator(body, given["signature"][:-1] + ("0" if given["signature"][-1] != "0" else "1"))
wa.webhook_update_handler(body)
sent = wa.send_message(
    to=given["to"], text="Choose", buttons=[types.Button(title="Yes", callback_data="yes")], tracker="ours",
)
media = wa.upload_media(media=b"\x89PNG", mime_type="image/png", filename="a.png")
media_id = getattr(media, "id", media)
url = wa.get_media_url(media_id)
flow = wa.create_flow(name="survey", categories=["OTHER"])
flow_id = getattr(flow, "id", flow)
screen = {"id": "A", "terminal": True, "layout": {"type": "SingleColumnLayout", "children": []}}
uploaded = wa.update_flow_json(flow_id, {"version": "7.3", "screens": [screen]})
wa.update_flow_metadata(flow_id, name="survey 2")
published = wa.publish_flow(flow_id)
flows = [(one.name, one.status.value) for one in wa.get_flows()]
try:
    wa.delete_flow(flow_id)
    refused = None
except Exception as caught:
    refused = type(caught).__name__
deprecated = wa.deprecate_flow(flow_id)
wa.mark_message_as_read(given["inbound"])
wa.indicate_typing(given["inbound"])
content = wa.get_media_bytes(url.url)
try:
    wa.send_message(to=given["throttled"], text="one too many")
    error = None
except Exception as caught:  # a class for each code
    error = type(caught).__name__
print(json.dumps({
    "received": received, "sent": str(getattr(sent, "id", sent)), "media": str(media_id), "sha256": url.sha256,
    "flow": str(flow_id), "error": error, "accepted": accepted, "forged": forged, "content": list(content), "uploaded": bool(uploaded),
    "published": bool(published), "flows": flows, "refused": refused, "deprecated": bool(deprecated),
}))
