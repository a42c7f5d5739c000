import unittest
from integration import HANDSHAKE, is_signed, update


class IntegrationTest(unittest.TestCase):
    def test_the_panel_has_only_parts_that_the_handshake_declares(self):
        codes = [one["code"] for one in HANDSHAKE["capabilities"]["context_objects"]]
        self.assertEqual(list(update({"chat": {"owner": "+27820001001"}})["context_objects"]), codes)

    def test_a_body_without_a_signature_is_refused(self):
        self.assertFalse(is_signed(b"{}", None, "secret"))


if __name__ == "__main__":
    unittest.main()
