"""The page of a list's public link."""

from case import BrowserCase
from service import texts

LONG = "W" * 120
PERSIAN = "فهرست خرید خانه"


class PublicListTests(BrowserCase):
    chapter = "Public list"

    @classmethod
    def prepare(cls):
        cls.ada = cls.device("ada", "Ada")

    def test_anyone_with_the_link_reads_the_list(self):
        self.ada.make_list("Groceries", "Milk", "Bread <b>rye</b>", "Tea")
        self.ada.json("items", "tick", "Groceries", "Milk")
        link = self.ada.public_link("Groceries")
        for scripts in (False, True):
            window = self.window(scripts=scripts)
            window.open(link)
            self.see(window, f"with{'' if scripts else 'out'} scripts")
            self.assertEqual("Groceries", window.heading)
            self.assertEqual(3, len(window.all(".items > li")))
            self.assertEqual(1, len(window.all(".items > li.ticked")))
            self.shows(window, "Bread <b>rye</b>", texts("en")["public"]["text"])
            # Reading needs no button.
            self.assertFalse(window.has("main form"))
            self.assertFalse(window.cookies)

    def test_each_language_has_the_whole_page(self):
        self.ada.make_list("Books", "Middlemarch")
        window = self.window(scripts=False)
        self.in_each_language(
            window, self.ada.public_link("Books"), lambda words: self.shows(window, words["public"]["text"]))

    def test_an_empty_list_says_that_it_is_empty(self):
        self.ada.make_list("Nothing yet")
        window = self.window(scripts=False)
        window.open(self.ada.public_link("Nothing yet"))
        self.see(window, "empty")
        self.shows(window, texts("en")["public"]["empty"])

    def test_long_names_and_names_from_right_to_left_stay_in_their_place(self):
        for name, shown in [("long", LONG), ("right to left", PERSIAN)]:
            with self.subTest(name):
                self.ada.make_list(shown, shown, "Tea", f"{shown} 3")
                window = self.window(scripts=False)
                window.open(self.ada.public_link(shown))
                self.see(window, f"{name} names")
                self.shows(window, shown)

    def test_an_item_that_is_added_or_removed_leaves_the_others_where_they_are(self):
        self.ada.make_list("Live", "Milk", "Tea", "Rye")
        window, words = self.window(), texts("en")["public"]
        window.open(self.ada.public_link("Live"))
        window.wait(lambda: words["live"] in window.find("#live").text, "live")
        # A reader is in the middle of the list, and has selected an item.
        window.driver.execute_script("""
            window.items = [...document.querySelectorAll(".items > li")];
            getSelection().selectAllChildren(window.items[0]);
            window.items[1].tabIndex = -1;
            window.items[1].focus();
        """)

        def kept():
            return window.driver.execute_script("return window.items.map((item) => item.isConnected)")

        self.ada.json("items", "add", "Live", "Oil")
        self.ada.json("sync")
        window.wait(lambda: "Oil" in window.text, "an item of the owner")
        self.assertEqual([True, True, True], kept())
        self.assertIn("Milk", window.driver.execute_script("return getSelection().toString()"))
        self.assertIn("Tea", window.find(":focus").text)
        # The focus of an item that is removed goes to the next one, and that of the last one to the state of the list.
        self.ada.json("items", "remove", "Live", "Tea")
        self.ada.json("sync")
        window.wait(lambda: "Tea" not in window.find("#list").text, "without an item")
        self.assertEqual([True, False, True], kept())
        self.assertIn("Rye", window.find(":focus").text)
        self.ada.json("items", "remove", "Live", "Milk", "Rye", "Oil")
        self.ada.json("sync")
        window.wait(lambda: words["empty"] in window.text, "an empty list")
        self.assertTrue(window.has("#live:focus"))

    def test_a_revoked_link_shows_nothing_of_the_list(self):
        self.ada.make_list("Secret", "A surprise")
        link = self.ada.public_link("Secret")
        self.ada.json("lists", "revoke", "Secret", "1")
        window = self.window(scripts=False)
        window.open(link)
        self.see(window, "revoked")
        self.assertEqual(texts("en")["problem"]["expiredLink"], window.heading)
        self.hides(window, "A surprise")
