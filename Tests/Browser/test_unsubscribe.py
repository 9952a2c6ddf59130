"""The pages with which people unsubscribe from emails."""

from case import BrowserCase
from service import texts


class UnsubscribeTests(BrowserCase):
    chapter = "Unsubscribing"

    @classmethod
    def prepare(cls):
        cls.service.programme()
        cls.ada = cls.device("ada", "Ada")
        cls.ada.sign_in("ada@example.com")

    def share(self, address):
        """Shares by email. Returns the share, once the server has sent the email or has refused to."""
        made = self.ada.json("share", "email", address)["results"][0]["share"]["id"]
        return self.ada.wait("shares", lambda each: each["id"] == made and each["status"] in ("sent", "failed"))

    def link(self, address):
        """The link in the newest email to an address."""
        return self.service.link_in(self.service.message(address), "/unsubscribe/")

    def test_the_link_in_a_shared_email_asks_first_and_then_keeps_further_ones_away(self):
        english = texts("en")["unsubscribe"]
        for scripts in (False, True):
            with self.subTest(scripts=scripts):
                address = f"friend-{scripts}@example.com".lower()
                self.assertEqual("sent", self.share(address)["status"])
                window = self.window(scripts=scripts)
                # Programs that check the links of an email open them, too.
                for _ in range(2):
                    window.open(self.link(address))
                self.see(window, "from shares, asked")
                self.assertEqual(english["share"], window.heading)
                self.shows(window, english["shareQuestion"])
                self.hides(window, address)
                self.assertEqual("sent", self.share(address)["status"])
                window.press("main form button")
                self.see(window, "from shares, done")
                self.assertEqual(english["share"], window.heading)
                self.shows(window, english["shareDone"])
                self.assertFalse(window.cookies)
                refused = self.share(address)
                self.assertEqual(("failed", "optedOut"), (refused["status"], refused["failure"]))
                # Whoever opens the link again can take it back.
                window.open(self.link(address))
                self.shows(window, english["shareDone"])
                self.assertEqual(english["againButton"], window.find("main form button").text)
                window.press("main form button")
                self.see(window, "from shares, taken back")
                self.assertEqual(english["share"], window.heading)
                self.shows(window, english["again"])
                self.assertFalse(window.has("[name=again]"))
                self.assertEqual("sent", self.share(address)["status"])

    def test_the_link_in_an_invitation_is_about_invitations(self):
        english = texts("en")["unsubscribe"]
        self.ada.json("invite", "email", "guest@example.com")
        self.ada.json("sync")
        window = self.window(scripts=False)
        window.open(self.link("guest@example.com"))
        self.see(window, "from invitations, asked")
        self.assertEqual(english["invitation"], window.heading)
        self.shows(window, english["invitationQuestion"])
        window.press("main form button")
        self.see(window, "from invitations, done")
        self.shows(window, english["invitationDone"])
        # Shares are another kind of message.
        self.assertEqual("sent", self.share("guest@example.com")["status"])

    def test_each_language_has_the_whole_page(self):
        def check(words):
            self.assertEqual(words["unsubscribe"]["share"], window.heading)
            self.shows(window, words["unsubscribe"]["shareQuestion"], words["unsubscribe"]["shareButton"])

        self.share("lea@example.com")
        window = self.window(scripts=False)
        self.in_each_language(window, self.link("lea@example.com"), check)

    def test_a_link_that_is_not_whole_leads_to_a_page_that_helps(self):
        self.share("max@example.com")
        window = self.window(scripts=False)
        for name, link in [("part", self.link("max@example.com")[:-1]), ("other", "/unsubscribe/AAAA")]:
            with self.subTest(name):
                self.open(window, link)
                self.see(window, "with an unknown link")
                self.assertEqual(texts("en")["problem"]["nothing"], window.heading)
                self.shows(window, texts("en")["problem"]["nothingText"])
                self.assertFalse(window.has("form"))
