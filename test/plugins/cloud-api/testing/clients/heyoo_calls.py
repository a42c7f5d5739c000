import json
import os
import tempfile

from heyoo import WhatsApp
from kit import PNG, given, report, webhook

messenger = WhatsApp(given["accessToken"], phone_number_id=given["phoneNumberId"])
messenger.base_url = f"{given['url']}/v14.0"
messenger.v15_base_url = f"{given['url']}/v15.0"
messenger.url = f"{messenger.base_url}/{given['phoneNumberId']}/messages"
to = given["to"]
file = os.path.join(tempfile.mkdtemp(), "a.png")
with open(file, "wb") as opened:
    opened.write(PNG)
seen = {}


def upload():
    seen["media"] = messenger.upload_media(media=file)["id"]


def link():
    seen["url"] = messenger.query_media_url(seen["media"])
    assert seen["url"]


def download():
    assert messenger.download_media(seen["url"], "image/png", os.path.join(tempfile.mkdtemp(), "temp"))


def receive():
    data = json.loads(webhook)
    assert messenger.changed_field(data) == "messages" and messenger.get_mobile(data)
    assert (messenger.get_message_type(data), messenger.get_message(data)) == ("text", given["text"])


rows = [
    {"id": "row 1", "title": "Send Money", "description": ""},
    {"id": "row 2", "title": "Withdraw money", "description": ""},
]
menu = {
    "header": "Header Testing", "body": "Body Testing", "footer": "Footer Testing",
    "action": {"button": "Button Testing", "sections": [{"title": "iBank", "rows": rows}]},
}
replies = [{"type": "reply", "reply": {"id": f"b{i}", "title": f"This is button {i}"}} for i in (1, 2)]
reply_button = {"type": "button", "body": {"text": "This is a test button"}, "action": {"buttons": replies}}
card = [{"name": {"formatted_name": "Ann Lee", "first_name": "Ann"}, "phones": [{"phone": "+15551234567"}]}]
greeting = [{"type": "body", "parameters": [{"type": "text", "text": "Ann"}]}]
report({
    "upload a file": upload,
    "text": lambda: messenger.send_message("Your message ", to),
    "reply with a quote": lambda: messenger.reply_to_message(given["inbound"], to, "hello"),
    "reaction": lambda: messenger.send_reaction("👍", given["inbound"], to),
    "image by id": lambda: messenger.send_image(image=seen["media"], recipient_id=to, link=False),
    "image by link": lambda: messenger.send_image(image="https://i.imgur.com/Fh7XVYY.jpeg", recipient_id=to),
    "video": lambda: messenger.send_video(video="https://a.test/a.mp4", recipient_id=to),
    "audio": lambda: messenger.send_audio(audio="https://a.test/a.mp3", recipient_id=to),
    "document": lambda: messenger.send_document(document="http://www.africau.edu/images/default/sample.pdf", recipient_id=to),
    "sticker": lambda: messenger.send_sticker("https://a.test/a.webp", to),
    "location": lambda: messenger.send_location(lat=1.29, long=103.85, name="Singapore", address="Singapore", recipient_id=to),
    "contacts": lambda: messenger.send_contacts(card, to),
    "list": lambda: messenger.send_button(recipient_id=to, button=menu),
    "buttons": lambda: messenger.send_reply_button(recipient_id=to, button=reply_button),
    "template": lambda: messenger.send_template("hello", to, components=greeting, lang="en_US"),
    "mark as read": lambda: messenger.mark_as_read(given["inbound"]),
    "link of a file": link,
    "download": download,
    "delete a file": lambda: messenger.delete_media(seen["media"]),
    "webhook": receive,
})
