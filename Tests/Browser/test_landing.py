"""The page of a share link."""

import http.client
import struct
import urllib.request
import zlib

from case import BrowserCase
from service import texts, until
from window import LANGUAGES

LONG = "W" * 90
ARABIC = "سلمى بنت عبد الرحمن"


class LandingTests(BrowserCase):
    chapter = "Landing page"
    # How many pages were visited only to wait for the visits before them.
    markers = 0

    @classmethod
    def prepare(cls):
        cls.service.programme()
        cls.ada = cls.device("ada", "Ada")
        cls.link = cls.ada.share_link()

    def test_a_friend_reads_the_offer_and_the_code_in_large_letters_without_scripts(self):
        window = self.window(scripts=False)
        window.open(self.link)
        self.see(window, "without scripts")
        self.assertEqual("A week of tea, for you and for a friend", window.heading)
        self.shows(window, "Join with this link", "Ada")
        code = window.find(".share-code code")
        self.assertEqual(self.link.split("/")[-1], code.text)
        size = float(code.value_of_css_property("font-size").removesuffix("px"))
        self.assertGreaterEqual(size, 24)
        self.assertFalse(window.cookies)

    def test_each_language_has_the_whole_page(self):
        window = self.window()
        self.in_each_language(window, self.link, lambda words: self.shows(
            window, words["share"]["code"], words["app"]["heading"]))

    def test_a_visit_is_counted_once_a_day_and_only_for_a_person_who_opens_the_page(self):
        self.service.programme("visited")
        address = self.device("visited").share_link("visited")
        path = "/s/" + address.split("/")[-1]
        agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
        for method, fields in [
            ("HEAD", {"User-Agent": agent}), ("GET", {"User-Agent": agent, "Sec-Purpose": "prefetch;prerender"}),
            ("GET", {"User-Agent": "WhatsApp/2.23"}), ("GET", {"User-Agent": "curl/8.14.1"}),
            ("GET", {"User-Agent": agent, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}),
        ]:
            connection = http.client.HTTPConnection("127.0.0.1", self.service.port)
            connection.request(method, path, headers=fields)
            self.assertEqual(200, connection.getresponse().status)
            connection.close()
        self.visits_are_stored()
        self.assertEqual(0, self.service.funnel("visited")["visited"])
        for scripts in (False, True):
            window = self.window(scripts=scripts)
            window.open(address)
            window.open(address)
        self.visits_are_stored()
        # Both browsers have the same address and name: the server has no means to tell them apart.
        self.assertEqual(1, self.service.funnel("visited")["visited"])

    def visits_are_stored(self):
        """Waits until the server has stored all visits until now: it stores them in the background, all at once."""
        name = f"last-{self.markers}"
        LandingTests.markers += 1
        self.service.programme(name)
        self.window(scripts=False).open(self.device(name).share_link(name))
        until(lambda: self.service.funnel(name)["visited"], f"a visit of {name}")

    def test_long_names_and_names_from_right_to_left_stay_in_their_place(self):
        title = {"en": f"Tea {LONG}", "ar": "شاي"}
        self.service.programme("long", title=title, text={"en": f"{LONG} {LONG}"})
        for name, shown in [("long", f"Ada {LONG}"), ("right to left", ARABIC)]:
            with self.subTest(name):
                link = self.device(name.replace(" ", "-"), shown).share_link("long")
                window = self.window(scripts=False)
                window.open(link)
                self.see(window, f"{name} names")
                self.shows(window, shown)
        window = self.window(scripts=False, language="ar")
        window.open(link)
        self.see(window, "a programme in Arabic")
        self.assertEqual("شاي", window.heading)
        self.assertEqual("ar", window.find("h1 [lang]").get_attribute("lang"))

    def test_what_people_write_is_text_and_never_part_of_the_page(self):
        self.service.programme("marks", title={"en": "<img src=x onerror=alert(1)>"}, text={"en": "<b>bold</b>"})
        link = self.device("marks", "<script>document.title='on'</script>").share_link("marks")
        window = self.window()
        window.open(link)
        self.assertEqual("<img src=x onerror=alert(1)>", window.heading)
        self.shows(window, "<b>bold</b>", "<script>document.title='on'</script>")
        self.assertFalse(window.has("main b, main img[src=x]"))
        self.assertNotEqual("on", window.driver.title)

    def test_a_paused_programme_says_so(self):
        self.service.programme("paused")
        link = self.device("paused", "Ada").share_link("paused")
        self.service.admin("programme", "pause", "paused")
        window = self.window(scripts=False)
        window.open(link)
        self.see(window, "of a paused programme")
        self.shows(window, texts("en")["share"]["paused"])

    def test_a_code_that_nobody_has_leads_to_a_page_that_helps(self):
        window = self.window(scripts=False)
        for language in LANGUAGES:
            with self.subTest(language):
                window.speak(language)
                self.open(window, "/s/NOBODY-HAS-IT")
                self.see(window, f"of no code in {language}")
                self.assertEqual(texts(language)["problem"]["unknownCode"], window.heading)


class LandingPartsTests(BrowserCase):
    """The parts of the page that not every programme and browser has."""

    chapter = "Landing page"

    @staticmethod
    def png(width, height):
        """A picture of one colour."""
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        rows = (b"\0" + b"\x3a\x48\xb5" * width) * height
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))

    def test_the_button_that_copies_the_code_is_only_there_with_scripts(self):
        self.service.programme("copying")
        link = self.device("copying").share_link("copying")
        plain, window = self.window(scripts=False), self.window()
        plain.open(link)
        self.assertFalse(plain.find("button.copy").is_displayed())
        window.order("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        window.order("Emulation.setFocusEmulationEnabled", enabled=True)
        window.open(link)
        window.find("button.copy").click()
        window.wait(lambda: window.find("#copied").text == texts("en")["share"]["copied"], "copied")
        self.assertEqual(
            link.split("/")[-1], window.run("const done = arguments[0]; navigator.clipboard.readText().then(done, done)"))
        self.see(window, "with a copied code")

    def test_the_button_that_copies_shows_that_it_waits_and_says_that_the_browser_refuses(self):
        self.service.programme("refusing")
        link = self.device("refusing").share_link("refusing")
        window = self.window()
        window.open(link)
        window.driver.execute_script(
            "navigator.clipboard.writeText = () => new Promise((_, reject) => { window.refuse = reject })")
        button = window.find("button.copy")
        button.click()
        self.assertEqual("true", button.get_attribute("aria-busy"))
        self.see(window, "with a code that is being copied")
        window.driver.execute_script("window.refuse(new Error())")
        window.wait(lambda: window.find("#copied").text == texts("en")["share"]["notCopied"], "refused")
        self.assertIsNone(button.get_attribute("aria-busy"))
        # People only have to press the keys that copy.
        self.assertEqual(link.split("/")[-1], window.run("arguments[0](String(getSelection()))").strip())
        self.see(window, "with a code that is not copied")

    def test_the_picture_of_a_programme_is_on_the_page_and_in_previews(self):
        picture = self.service.folder / "tea.png"
        picture.write_bytes(self.png(640, 320))
        self.service.programme("pictured", picture=picture)
        link = self.device("pictured", "Ada").share_link("pictured")
        window = self.window(scripts=False)
        window.open(link)
        self.see(window, "with a picture")
        width = window.run("arguments[0](document.querySelector('img.picture').naturalWidth)")
        self.assertEqual(640, width)
        preview = window.find("meta[property='og:image']").get_attribute("content")
        self.assertTrue(preview.startswith(link + "/picture"), preview)
        with urllib.request.urlopen(preview, timeout=60) as answer:
            self.assertEqual(("image/png", "nosniff"), (answer.headers["Content-Type"], answer.headers["X-Content-Type-Options"]))
            self.assertEqual(picture.read_bytes(), answer.read())
            self.assertTrue(answer.headers["ETag"])

    def test_a_programme_with_an_address_leads_there_with_the_code_and_also_joins_here(self):
        self.service.programme("elsewhere", url="https://tea.example.com/welcome")
        link = self.device("elsewhere", "Ada").share_link("elsewhere")
        window = self.window(scripts=False)
        window.open(link)
        self.see(window, "with an address of the programme")
        code = link.split("/")[-1]
        self.assertTrue(window.has(f"a.button[href='https://tea.example.com/welcome?code={code}']"))
        self.assertTrue(window.has(f"a.button[href$='/sign-in?share={code}']"))
