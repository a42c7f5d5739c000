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
checked = wa.webhook_update_validator(body, given["signature"])
wa.webhook_update_handler(body)
sent = wa.send_message(
    to=given["to"], text="Choose", buttons=[types.Button(title="Yes", callback_data="yes")], tracker="ours",
)
media = wa.upload_media(media=b"\x89PNG", mime_type="image/png", filename="a.png")
media_id = getattr(media, "id", media)
url = wa.get_media_url(media_id)
flow = wa.create_flow(name="survey", categories=["OTHER"])
flow_id = getattr(flow, "id", flow)
try:
    wa.send_message(to=given["throttled"], text="one too many")
    error = None
except Exception as caught:  # a class for each code
    error = type(caught).__name__
print(json.dumps({
    "received": received, "sent": str(getattr(sent, "id", sent)), "media": str(media_id), "sha256": url.sha256,
    "flow": str(flow_id), "error": error, "checked": str(checked),
}))
