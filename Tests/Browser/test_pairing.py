"""The page of the QR code with which another device signs in."""

from case import BrowserCase
from service import Refused, texts


class PairingCase(BrowserCase):
    @classmethod
    def prepare(cls):
        cls.ada = cls.device("ada", "Ada")
        cls.ada.sign_in("ada@example.com")

    def link(self):
        """A new link. It ends the one before."""
        return self.ada.json("session", "pair", "--no-wait")["link"]

    def join(self, name, link):
        """Another device signs in with a link. Returns its account."""
        return self.device(name).json("session", "join", link, "--device", name)["account"]


class PairingTests(PairingCase):
    chapter = "Pairing"

    def test_the_page_of_a_live_link_tells_what_to_do_and_does_not_use_the_link(self):
        english = texts("en")
        for scripts in (False, True):
            with self.subTest(scripts=scripts):
                link = self.link()
                window = self.window(scripts=scripts)
                window.open(link)
                self.see(window, "with a live link")
                self.assertEqual(english["pairing"]["title"], window.heading)
                self.shows(window, english["pairing"]["text"], english["pairing"]["warning"])
                # The server has no page where people get the app.
                self.assertFalse(window.has("main a.button"))
                window.find("main details summary").click()
                self.see(window, "with the command")
                self.shows(window, english["pairing"]["command"], "kith session join LINK")
                self.assertFalse(window.cookies)
                self.assertEqual(
                    self.ada.json("session", "show")["account"], self.join(f"tablet-{scripts}".lower(), link))

    def test_the_page_is_the_same_for_a_used_link_and_an_unknown_one_because_the_server_never_gets_the_secret(self):
        link = self.link()
        self.join("first", link)
        window = self.window(scripts=False)
        ended = self.link()
        self.link()
        for name, address in [("used", link), ("ended", ended), ("unknown", link.split("#")[0] + "#unknown"),
                              ("cut", link.split("#")[0])]:
            with self.subTest(name):
                window.open(address)
                self.see(window, f"with a link that is {name}")
                self.assertEqual(texts("en")["pairing"]["title"], window.heading)
        for name, address in [("used", link), ("ended", ended)]:
            with self.subTest(f"joining, {name}"):
                with self.assertRaises(Refused):
                    self.join(f"late-{name}", address)
        window.listen()
        secret = link.split("#")[1]
        self.assertFalse([request for request in window.requests if secret in request["url"]])

    def test_each_language_has_the_whole_page(self):
        def check(words):
            self.assertEqual(words["pairing"]["title"], window.heading)
            self.shows(window, words["pairing"]["text"], words["pairing"]["warning"])

        window = self.window(scripts=False)
        self.in_each_language(window, "/pair", check)


class PairingWithAppTests(PairingCase):
    chapter = "Pairing with an app"
    settings = ("--app-page", "https://app.example.com/get")

    def test_the_page_leads_to_the_app(self):
        window = self.window(scripts=False)
        window.open(self.link())
        self.see(window, "with a live link")
        button = window.find("main a.button")
        self.assertEqual(texts("en")["app"]["get"], button.text)
        self.assertEqual("https://app.example.com/get", button.get_attribute("href"))
