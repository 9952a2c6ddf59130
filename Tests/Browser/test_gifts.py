"""Public links with which people tick, and the pages that stay current."""

import urllib.parse
import urllib.request
import zipfile

from case import BrowserCase
from service import texts, until

PUBLIC = "public"
LONG = "W" * 120
PERSIAN = "فهرست آرزوها"


class GiftTests(BrowserCase):
    """A wish list: whoever has the link says “I give this”, and the owner never learns of it."""

    chapter = "Wish list"

    @classmethod
    def prepare(cls):
        cls.service.programme()
        cls.ada = cls.device("ada", "Ada")
        cls.ada.sign_in("ada@example.com")

    def wishes(self, name, *titles):
        """The public link of a new wish list."""
        self.ada.make_list(name, *(titles or ("Book", "Socks", "Tea")), kind="wish")
        return self.ada.public_link(name, "--ticks")

    @staticmethod
    def give(window, number):
        """Presses the button of an item."""
        window.press(f".items > li:nth-child({number}) form button")

    @staticmethod
    def item(window, number):
        return window.find(f".items > li:nth-child({number})").text

    def test_a_friend_says_what_they_give_and_takes_it_back_without_scripts(self):
        link = self.wishes("Birthday")
        ben, eve = self.window(scripts=False), self.window(scripts=False)
        ben.open(link)
        self.see(ben, "of somebody else")
        self.assertFalse(ben.cookies)
        self.give(ben, 2)
        self.see(ben, "with a gift")
        self.assertIn(texts("en")[PUBLIC]["mine"], self.item(ben, 2))
        self.assertNotIn(texts("en")[PUBLIC]["mine"], self.item(ben, 1))
        eve.open(link)
        self.see(eve, "with a gift of somebody else")
        self.assertIn(texts("en")[PUBLIC]["taken"], self.item(eve, 2))
        self.assertFalse(eve.has(".items > li:nth-child(2) form"))
        self.give(ben, 2)
        eve.open(link)
        self.assertNotIn(texts("en")[PUBLIC]["taken"], self.item(eve, 2))

    def test_the_owner_never_sees_a_gift(self):
        link = self.wishes("Wedding")
        before = self.ada.json("items", "Wedding")
        ben = self.window(scripts=False)
        ben.open(link)
        self.give(ben, 1)
        self.ada.json("sync")
        self.assertEqual(before, self.ada.json("items", "Wedding"))
        archive = self.service.folder / "ada.zip"
        self.ada.json("session", "export", str(archive))
        with zipfile.ZipFile(archive) as parts:
            everything = b"".join(parts.read(name) for name in parts.namelist()).decode(errors="replace")
        self.assertNotIn("gift", everything.lower())
        owner = self.window(scripts=False)
        self.enter(owner, self.ada)
        owner.open(link)
        self.see(owner, "of the owner")
        self.hides(owner, texts("en")[PUBLIC]["taken"], texts("en")[PUBLIC]["mine"])
        self.assertFalse(owner.has(".items form"))

    def test_two_friends_who_press_at_once_do_not_give_the_same(self):
        link = self.wishes("House")
        ben, eve = self.window(scripts=False), self.window(scripts=False)
        ben.open(link)
        eve.open(link)
        self.give(ben, 3)
        self.give(eve, 3)
        self.see(eve, "with a gift that was taken meanwhile")
        self.shows(eve, texts("en")[PUBLIC]["conflict"])
        eve.open(link)
        self.assertIn(texts("en")[PUBLIC]["taken"], self.item(eve, 3))

    def test_trap_a_button_that_is_pressed_twice_while_the_server_is_slow_gives_once(self):
        link = self.wishes("Twice")
        window = self.window(scripts=False)
        window.open(link)
        fields = {each.get_attribute("name"): each.get_attribute("value")
                  for each in window.all(".items > li:nth-child(2) form input")}
        # The first press: the browser drops its answer, and the cookie with it, when the button is pressed again.
        with urllib.request.urlopen(link, urllib.parse.urlencode(fields).encode(), timeout=60) as answer:
            self.assertEqual(200, answer.status)
        self.give(window, 2)
        self.assertIn(texts("en")[PUBLIC]["mine"], self.item(window, 2))
        self.give(window, 2)
        self.assertNotIn(texts("en")[PUBLIC]["mine"], self.item(window, 2))

    def test_trap_a_browser_without_cookies_gives_something_and_the_page_says_that_it_cannot_be_taken_back(self):
        link = self.wishes("Without cookies", *(f"Wish {number}" for number in range(40)))
        window = self.window()
        window.open(link)
        self.give(window, 40)
        self.assertFalse(window.has(".problem"))
        # The same answer in an app that keeps no cookies.
        window.order("Network.clearBrowserCookies")
        item = window.find(".items > li:nth-child(40)").get_attribute("id")
        self.open(window, f"{link}?tick=given#{item}")
        self.shows(window, texts("en")[PUBLIC]["given"])
        window.wait(lambda: window.has(".problem:focus"), "the focus")
        # Somebody who gets the address does not read it.
        self.assertEqual(f"{link}#{item}", window.driver.current_url)
        self.see(window, "without cookies")

    def test_a_page_that_is_current_keeps_its_ticket(self):
        link = self.wishes("Tickets")
        window = self.window()
        window.open(link)

        def tickets():
            return {each.get_attribute("value") for each in window.all("[name=ticket]")}

        ticket, = tickets()
        self.ada.json("items", "add", "Tickets", "Stamp")
        self.ada.json("sync")
        window.wait(lambda: "Stamp" in window.text, "an item of the owner")
        self.assertEqual({ticket}, tickets())
        self.give(window, 1)
        self.assertIn(texts("en")[PUBLIC]["mine"], self.item(window, 1))

    def test_a_gift_appears_in_another_window_at_once(self):
        link = self.wishes("Garden")
        ben, eve = self.window(), self.window()
        for window in (ben, eve):
            window.open(link)
            window.wait(lambda: texts("en")[PUBLIC]["live"] in window.find("#live").text, "live")
        # Somebody who is about to press a button keeps it.
        eve.driver.execute_script("arguments[0].focus()", eve.find(".items > li:nth-child(2) button"))
        self.give(ben, 1)
        eve.wait(lambda: texts("en")[PUBLIC]["taken"] in self.item(eve, 1), "a gift in the other window")
        self.assertTrue(eve.has(".items > li:nth-child(2) button:focus"))
        self.see(eve, "that is live")
        self.ada.json("items", "add", "Garden", "Spade")
        self.ada.json("sync")
        eve.wait(lambda: "Spade" in eve.text, "an item of the owner")

    def test_a_page_says_that_it_connects_and_shows_that_a_button_was_pressed(self):
        link = self.wishes("Slow")
        window = self.window()
        window.hold("*/events")
        window.open(link)
        window.wait(lambda: window.find("#live").text == texts("en")[PUBLIC]["connecting"], "connecting")
        self.see(window, "that connects")
        window.release()
        window.wait(lambda: texts("en")[PUBLIC]["live"] in window.find("#live").text, "live")
        # The form stays here, as if the server took its time.
        window.driver.execute_script("window.addEventListener('submit', event => event.preventDefault())")
        self.assertFalse(window.has("[aria-busy]"))
        window.find(".items > li:nth-child(1) form button").click()
        self.assertEqual(1, len(window.all(".items > li:nth-child(1) button[aria-busy=true]")))
        self.see(window, "with a button that was pressed")
        self.assertEqual(1, len(window.all("[aria-busy]")))

    def test_a_page_that_was_refused_asks_again(self):
        link = self.wishes("Refused")
        window = self.window()
        # The first stream does not exist; the next two pages are refused.
        window.order("Page.addScriptToEvaluateOnNewDocument", source="""
            const [Source, ask] = [window.EventSource, window.fetch.bind(window)];
            let [streams, pages] = [0, 0];
            window.EventSource = class extends Source {
                constructor(address) { super(streams++ === 0 ? "/pages/nothing" : address); }
            };
            window.fetch = (...request) => pages++ < 2
                ? Promise.resolve(new Response("", { status: 503, headers: { "Retry-After": "1" } })) : ask(...request);
        """)
        window.open(link)
        window.wait(lambda: texts("en")[PUBLIC]["live"] in window.find("#live").text, "live")
        self.ada.json("items", "add", "Refused", "Kettle")
        self.ada.json("sync")
        window.wait(lambda: "Kettle" in window.text, "an item of the owner")

    def test_a_revoked_link_ends_the_live_page(self):
        link = self.wishes("Ended")
        window = self.window()
        # The channel of the link is kept, but not that a gift was taken before.
        window.open(f"{link}?c=email&tick=conflict")
        window.wait(lambda: texts("en")[PUBLIC]["live"] in window.find("#live").text, "live")
        self.ada.json("lists", "revoke", "Ended", "1")
        window.wait(lambda: window.heading == texts("en")["problem"]["expiredLink"], "the end of the link")
        self.assertEqual(f"{link}?c=email", window.driver.current_url)

    def test_long_names_and_names_from_right_to_left_stay_in_their_place_on_the_page_of_a_share_link(self):
        for name, shown in (("long", LONG), ("right to left", PERSIAN)):
            with self.subTest(name):
                link = self.wishes(shown, shown, f"Tea {shown}", "Tea")
                programme = name.replace(" ", "-")
                self.service.programme(programme)
                shared = self.ada.share_link(programme)
                self.ada.json("share", "edit", "--programme", programme, "--list-link", link)
                self.ada.json("sync")
                window = self.window(scripts=False)
                window.open(shared)
                self.shows(window, shown, f"Tea {shown}")
                self.give(window, 1)
                self.see(window, f"on the page of a share link, {name} names")

    def test_trap_a_gift_that_was_taken_meanwhile_keeps_the_page_of_the_share_link(self):
        link = self.wishes("Taken")
        self.service.programme("taken")
        shared = self.ada.share_link("taken")
        self.ada.json("share", "edit", "--programme", "taken", "--list-link", link)
        self.ada.json("sync")
        ben, eve = self.window(scripts=False), self.window(scripts=False)
        ben.open(shared)
        eve.open(shared)
        self.give(ben, 1)
        self.give(eve, 1)
        self.see(eve, "on the page of a share link, with a gift that was taken meanwhile")
        self.assertEqual(ben.path, eve.path)
        self.shows(eve, texts("en")[PUBLIC]["conflict"])
        self.assertTrue(eve.has("a[href*='/sign-in?share=']"))

    def test_the_page_of_a_share_link_shows_the_list_and_takes_gifts(self):
        link = self.wishes("Santa")
        shared = self.ada.share_link("friends")
        self.ada.json("share", "edit", "--programme", "friends", "--list-link", link)
        self.ada.json("sync")
        window = self.window(scripts=False)
        window.open(shared)
        self.see(window, "on the page of a share link")
        self.shows(window, "Book", "Socks")
        self.give(window, 1)
        self.assertEqual("/s/" + shared.split("/")[-1], window.path)
        self.assertIn(texts("en")[PUBLIC]["mine"], self.item(window, 1))
        owner = self.window(scripts=False)
        self.enter(owner, self.ada)
        owner.open(shared)
        self.hides(owner, texts("en")[PUBLIC]["taken"], texts("en")[PUBLIC]["mine"])
        self.ada.json("lists", "revoke", "Santa", "1")
        window.open(shared)
        self.hides(window, "Socks")


class TickTests(BrowserCase):
    """Other lists: a tick of a guest is the tick of the item."""

    chapter = "List with ticks"

    def test_guests_and_the_owner_tick_the_same_items(self):
        ada = self.device("ada", "Ada")
        ada.make_list("Party", "Cake", "Candles")
        link = ada.public_link("Party", "--ticks")
        for scripts in (False, True):
            with self.subTest(scripts=scripts):
                window = self.window(scripts=scripts)
                window.open(link)
                self.see(window, f"with{'' if scripts else 'out'} scripts")
                # Whoever presses a box ticks.
                self.assertEqual(len(window.all(".items > li")), len(window.all(".items form button .tick")))
                self.assertEqual(len(window.all(".items > li")), len(window.all(".tick")))
                window.press(".items > li:nth-child(1) form .tick")
                self.assertTrue(window.has(".items > li.ticked:nth-child(1)"))
                until(lambda: ada_ticked(ada), "the tick on the device")
                window.press(".items > li:nth-child(1) form button")
                until(lambda: not ada_ticked(ada), "no tick on the device")
        window.open(link)
        window.wait(lambda: texts("en")[PUBLIC]["live"] in window.find("#live").text, "live")
        ada.json("items", "tick", "Party", "Candles")
        ada.json("sync")
        window.wait(lambda: window.has(".items > li.ticked:nth-child(2)"), "the tick of the device")

    def test_a_link_for_reading_has_no_buttons(self):
        ada = self.device("reading")
        ada.make_list("Reading", "Middlemarch")
        window = self.window(scripts=False)
        window.open(ada.public_link("Reading"))
        self.assertFalse(window.has(".items form"))


def ada_ticked(device):
    return [item["title"] for item in device.items("Party") if item["ticked"]] == ["Cake"]
