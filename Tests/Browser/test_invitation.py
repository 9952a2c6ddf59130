"""Accepting invitations with an email, in a browser."""

from case import BrowserCase
from service import texts

LONG = "W" * 100
HEBREW = "רשימת קניות"


class InvitationTests(BrowserCase):
    chapter = "Invitation"

    @classmethod
    def prepare(cls):
        cls.ada = cls.device("ada", "Ada")

    def link(self, name):
        self.ada.make_list(name, "Milk")
        return self.ada.json("lists", "share", name)["link"]["url"]

    def accept(self, window, link, address, pictures=False):
        """Accepts an invitation, with mistakes on the way."""
        def see(name):
            if pictures:
                self.see(window, name)

        window.open(link)
        see("offered")
        self.assertEqual(texts("en")["offer"]["list"], window.heading)
        # Longer than RFC 5321 permits before the @, which the browser does not check.
        window.fill("#email", "b" * 65 + "@example.com")
        window.press("main form button")
        see("with a wrong email")
        self.assertEqual("true", window.find("#email").get_attribute("aria-invalid"))
        # On a phone, the form is below the first screen.
        window.wait(lambda: window.has("#email:focus"), "the focus")
        self.assertTrue(window.driver.title.startswith(texts("en")["layout"]["error"]))
        window.fill("#email", address)
        window.press("main form button")
        see("waiting for the code")
        self.assertEqual(texts("en")["code"]["heading"], window.heading)
        code = self.service.code(address)
        window.fill("#code", "000000" if code != "000000" else "000001")
        window.press("main form button")
        see("with a wrong code")
        self.assertEqual(texts("en")["code"]["wrong"], window.find("#error").text)
        window.fill("#code", code)
        window.press("main form button")
        see("accepted")
        self.assertEqual(texts("en")["joined"]["list"], window.heading)
        self.assertFalse(window.cookies)

    def test_a_friend_accepts_without_scripts(self):
        self.accept(self.window(scripts=False), self.link("Groceries <b>&</b> cake"), "ben@example.com", pictures=True)
        self.ada.json("sync")
        self.assertEqual(2, len(self.ada.json("lists", "members", "Groceries")["members"]))

    def test_a_friend_accepts_with_scripts(self):
        self.accept(self.window(), self.link("Hardware"), "eve@example.com")
        self.ada.json("sync")
        self.assertEqual(2, len(self.ada.json("lists", "members", "Hardware")["members"]))

    def test_the_button_of_the_page_opens_the_app_which_accepts(self):
        window = self.window(scripts=False)
        window.open(self.link("Books"))
        app = window.find("a.button[href^='kith:']").get_attribute("href")
        self.assertEqual("Books", self.device("fay").json("lists", "accept", app)["list"]["name"])

    def test_each_language_has_the_whole_page(self):
        window = self.window(scripts=False)
        self.in_each_language(window, self.link("Tea"), lambda words: self.shows(
            window, words["offer"]["list"], words["accept"]["button"]))

    def test_long_names_and_names_from_right_to_left_stay_in_their_place(self):
        for name, shown in [("long", f"List {LONG}"), ("right to left", HEBREW)]:
            with self.subTest(name):
                window = self.window(scripts=False)
                window.open(self.link(shown))
                self.see(window, f"{name} names")
                self.shows(window, shown)

    def test_an_email_invites_to_connect(self):
        self.ada.sign_in("ada@example.com")
        self.ada.json("invite", "email", "gil@example.com", "--text", "Look at this")
        self.ada.json("sync")
        message = self.service.message("gil@example.com")
        window = self.window(scripts=False)
        window.open(self.service.link_in(message, "/v1/invitations/"))
        self.see(window, "to connect")
        self.assertEqual(texts("en")["offer"]["connect"], window.heading)
        self.shows(window, "Look at this", "Ada")
        self.hides(window, "ada@example.com")

    def test_a_revoked_link_and_an_unknown_one_lead_to_pages_that_help(self):
        link = self.link("Plants")
        self.ada.json("lists", "revoke", "Plants", "1")
        window = self.window(scripts=False)
        window.open(link)
        self.see(window, "revoked")
        self.assertEqual(texts("en")["problem"]["expiredLink"], window.heading)
        window.open(link[:-1])
        self.see(window, "unknown")
        self.assertEqual(texts("en")["problem"]["unknownLink"], window.heading)
        self.open(window, "/nothing-here")
        self.see(window, "at no page")
