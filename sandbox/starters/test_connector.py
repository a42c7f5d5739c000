import base64, hashlib, hmac, unittest
from connector import is_signed, text_of


class ConnectorTest(unittest.TestCase):
    def test_only_bodies_with_the_right_signature_are_signed(self):
        body = b'{"turn":{}}'
        signature = base64.b64encode(hmac.new(b"secret", body, hashlib.sha256).digest()).decode()
        self.assertTrue(is_signed(body, signature, "secret"))
        self.assertFalse(is_signed(body, signature, "another secret"))
        self.assertFalse(is_signed(body, None, "secret"))

    def test_buttons_become_a_text_with_their_titles(self):
        buttons = [{"type": "reply", "reply": {"id": "yes", "title": "Yes"}}]
        interactive = {"type": "button", "body": {"text": "Renew?"}, "action": {"buttons": buttons}}
        self.assertEqual(text_of({"type": "interactive", "interactive": interactive}), "Renew?\n1. Yes")


if __name__ == "__main__":
    unittest.main()
