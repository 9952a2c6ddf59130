"""The base of the tests: a server for each class, browsers for each test, and the checks of each page."""

import itertools
import os
import socket
import tempfile
import unittest

from gallery import Gallery
from inspection import exchange, inspect
from service import Device, Service, texts
from window import LANGUAGES, Window

GALLERY = Gallery(os.environ.get("KITH_SCREENSHOTS"))
PORTS = itertools.count(int(os.environ.get("KITH_PORT", "18500")))


def free_port():
    """The next port that nobody uses."""
    for port in PORTS:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port


class BrowserCase(unittest.TestCase):
    """Pages of a server that the tests of a class share. Each page that a test sees must hold what `inspection` checks."""

    # Flags of “kith serve”.
    settings = ()
    # How many sessions were opened by enter().
    entered = 0
    # The name of the class among the pictures.
    chapter = ""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.service = Service(os.environ["KITH"], folder.name, free_port(), *cls.settings)
        cls.addClassCleanup(cls.service.stop)
        cls.prepare()

    @classmethod
    def prepare(cls):
        """What the tests of a class need together."""

    @classmethod
    def device(cls, name, shown=None):
        """A device of a new person; `shown` is the person's name."""
        device = Device(cls.service, name)
        if shown:
            device.json("profile", "set", "--given", shown)
        return device

    def setUp(self):
        self.faults, self.windows = [], []

    def tearDown(self):
        for window in self.windows:
            self.faults += exchange(window, self.service)
        self.assertEqual([], self.faults)

    def window(self, scripts=True, language="en"):
        window = Window(scripts, language)
        self.addCleanup(window.close)
        self.windows.append(window)
        return window

    def open(self, window, address):
        window.open(address if address.startswith("http") else self.service.address + address)

    def sign_in(self, window, address, at="/sign-in"):
        """Signs somebody in with a code by email. The page of the account is open afterwards."""
        self.open(window, at)
        window.fill("[name=email]", address)
        window.press("form:has([name=email]) button")
        window.fill("[name=code]", self.service.code(address))
        window.press("form:has([name=code]) button")
        self.assertEqual("/account", window.path)

    def enter(self, window, device):
        """Opens the account of a device, with a session of its own: an email gets a second code only after a minute."""
        type(self).entered += 1
        other = self.device(f"{device.name}-page-{self.entered}")
        other.json("session", "join", device.json("session", "pair", "--no-wait")["link"], "--device", "Browser")
        self.open(window, "/sign-in")
        window.order("Network.setCookie", name="kith", value=other.token, url=self.service.address, path="/",
                     httpOnly=True, sameSite="Lax")
        self.open(window, "/account")
        self.assertEqual("/account", window.path)

    def phone(self, window, name, shown=None):
        """A device of the person who is signed in to a window, with a session of its own."""
        same = self.device(f"{name}-same")
        same.json("session", "use", next(each["value"] for each in window.cookies if each["name"] == "kith"))
        phone = self.device(name)
        phone.json("session", "join", same.json("session", "pair", "--no-wait")["link"], "--device", shown or name)
        if shown:
            phone.json("profile", "set", "--given", shown)
            phone.json("sync")
        return phone

    def see(self, window, name):
        """Checks a page, and keeps pictures of it."""
        self.faults += inspect(window, GALLERY, f"{self.chapter} {name}".strip())

    def in_each_language(self, window, address, check):
        """Opens a page in each language; `check` gets the texts of that language."""
        for language in LANGUAGES:
            with self.subTest(language):
                window.speak(language)
                self.open(window, address)
                self.see(window, f"in {language}")
                self.assertEqual(language, window.language)
                check(texts(language))

    def shows(self, window, *words):
        """The page has these texts."""
        for text in words:
            self.assertIn(text, window.text, f"at {window.path}")

    def hides(self, window, *words):
        """The document has none of these texts, not even where nobody sees them."""
        source = window.driver.page_source
        for text in words:
            self.assertNotIn(text, source, f"at {window.path}")
