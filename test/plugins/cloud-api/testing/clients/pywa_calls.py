import httpx
from kit import PNG, given, report, webhook
from pywa import WhatsApp, types
from pywa.types.templates import BodyText, Template, TemplateCategory, TemplateLanguage

wa = WhatsApp(
    phone_id=given["phoneNumberId"], token=given["accessToken"], waba_id=given["wabaId"],
    app_secret=given["appSecret"], verify_token=given["verifyToken"], server=None, session=httpx.Client(),
)
wa.api._session.base_url = f"{given['url']}/v25.0"
to = given["to"]
seen = {}
received = []


@wa.on_message
def on_message(_: WhatsApp, message: types.Message) -> None:
    received.append(message.text)


def upload():
    media = wa.upload_media(media=PNG, mime_type="image/png", filename="a.png")
    seen["media"] = str(getattr(media, "id", media))


def create_flow():
    flow = wa.create_flow(name="pywa survey", categories=["OTHER"])
    seen["flow"] = str(getattr(flow, "id", flow))
    screen = {"id": "A", "terminal": True, "layout": {"type": "SingleColumnLayout", "children": []}}
    wa.update_flow_json(seen["flow"], {"version": "7.3", "screens": [screen]})
    wa.publish_flow(seen["flow"])


def receive():
    wa.webhook_update_handler(webhook, given["signature"])
    assert received == [given["text"]], received


def link():
    seen["url"] = wa.get_media_url(seen["media"]).url


section = types.Section(title="All", rows=[types.SectionRow(title="One", callback_data="1", description="The first")])
report({
    "upload a file": upload,
    "text": lambda: wa.send_message(to=to, text="Hi! This message sent from pywa!"),
    "reply with a quote": lambda: wa.send_message(to=to, text="hello", reply_to_message_id=given["inbound"]),
    "reaction": lambda: wa.send_reaction(to=to, emoji="👍", message_id=given["inbound"]),
    "image by id": lambda: wa.send_image(to=to, image=seen["media"], caption="A photo"),
    "image by link": lambda: wa.send_image(to=to, image="https://a.test/a.png", caption="A photo"),
    "video": lambda: wa.send_video(to=to, video="https://a.test/a.mp4", caption="A clip"),
    "audio": lambda: wa.send_audio(to=to, audio="https://a.test/a.mp3"),
    "document": lambda: wa.send_document(to=to, document="https://a.test/a.pdf", filename="a.pdf"),
    "sticker": lambda: wa.send_sticker(to=to, sticker="https://a.test/a.webp"),
    "location": lambda: wa.send_location(to=to, latitude=37.4847, longitude=-122.1473, name="HQ", address="Menlo Park"),
    "contacts": lambda: wa.send_contact(to=to, contact=types.Contact(name=types.Contact.Name(formatted_name="Ann Lee", first_name="Ann"))),
    "buttons": lambda: wa.send_message(to=to, text="Choose", buttons=[types.Button(title="Yes", callback_data="yes")]),
    "list": lambda: wa.send_message(to=to, text="Choose", buttons=types.SectionList(button_title="Open", sections=[section])),
    "link button": lambda: wa.send_message(to=to, text="Tap", buttons=types.URLButton(title="See dates", url="https://a.test")),
    "location request": lambda: wa.request_location(to=to, text="Where are you?"),
    "create a flow": create_flow,
    "flow": lambda: wa.send_message(
        to=to, text="A form",
        buttons=types.FlowButton(title="Open", flow_id=seen["flow"], flow_token="token", flow_action_type=types.FlowActionType.NAVIGATE, flow_action_screen="A"),
    ),
    "show a flow": lambda: wa.get_flow(seen["flow"]),
    "list flows": lambda: list(wa.get_flows()),
    "template": lambda: wa.send_template(to=to, name="hello", language=TemplateLanguage.ENGLISH_US, params=[BodyText.params("Ann")]),
    "mark as read": lambda: wa.mark_message_as_read(given["inbound"]),
    "typing": lambda: wa.indicate_typing(given["inbound"]),
    "link of a file": link,
    "download": lambda: wa.get_media_bytes(seen["url"]),
    "delete a file": lambda: wa.delete_media(seen["media"]),
    "create a template": lambda: wa.create_template(
        Template(name="pywa_template", category=TemplateCategory.UTILITY, language=TemplateLanguage.ENGLISH_US, components=[BodyText("Hello")])
    ),
    "list templates": lambda: list(wa.get_templates()),
    "delete a template": lambda: wa.delete_template("pywa_template"),
    "change the profile": lambda: wa.update_business_profile(about="Books", industry=types.Industry.RETAIL),
    "show the profile": wa.get_business_profile,
    "show the number": wa.get_business_phone_number,
    "list numbers": lambda: list(wa.get_business_phone_numbers()),
    "show the account": wa.get_business_account,
    "webhook": receive,
})
