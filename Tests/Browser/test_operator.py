"""The operator's pages."""

import urllib.request

from case import BrowserCase
from inspection import LOOKS
from service import texts, until
from window import LANGUAGES

LONG = "W" * 90
ARABIC = "سلمى"
STEPS = ["shared", "visited", "joined", "rewarded"]
PAGES = {"funnel": "/admin", "referrals": "/admin/referrals", "deliveries": "/admin/deliveries", "health": "/admin/health"}


class OperatorCase(BrowserCase):
    @classmethod
    def add_operator(cls, name="grace"):
        cls.password = cls.service.admin("operator", "add", name)["password"]

    def enter(self, window, name="grace", password=None):
        """Signs in to the operator's pages."""
        self.open(window, "/admin/sign-in")
        window.fill("[name=name]", name)
        window.fill("[name=password]", password or self.password)
        window.press("form:has([name=password]) button")

    def entered(self, scripts=False):
        window = self.window(scripts)
        self.enter(window)
        self.assertEqual("/admin", window.path)
        return window


class NewServerTests(OperatorCase):
    chapter = "Operator, new server"

    def test_without_an_operator_a_page_names_the_command(self):
        window = self.window(scripts=False)
        self.open(window, "/admin")
        self.see(window, "without an operator")
        self.assertEqual(texts("en")["operator"]["none"], window.heading)
        self.shows(window, "kith admin operator add")
        self.assertFalse(window.has("form"))
        # Each page is empty at first.
        self.add_operator()
        window = self.entered()
        for name, path in PAGES.items():
            self.open(window, path)
            self.see(window, f"{name}, empty")
        self.open(window, "/admin")
        self.shows(window, texts("en")["funnel"]["empty"])


class OperatorTests(OperatorCase):
    chapter = "Operator"

    @classmethod
    def prepare(cls):
        cls.add_operator()
        cls.service.programme("friends")
        held = {"soonest-seconds": None, "holding-days": 3, "disposable-domains": ["mailinator.example"]}
        for name in ("slow", "bulk"):
            cls.service.programme(name, guards=held)
        cls.ada = cls.device("ada", f"Ada {LONG}"[:90])
        cls.links = {name: cls.ada.share_link(name) for name in ("friends", "slow", "bulk")}
        for name in cls.links:
            cls.ada.json("share", "note", "--programme", name, "--by", "message")
        cls.join("Ben", "friends")
        cls.join(ARABIC, "slow", "mailinator.example")

    @classmethod
    def join(cls, name, programme, domain="example.com", link=None):
        """A friend signs up with Ada's code, or another one. Waits until it is decided whether its owner gets a reward."""
        friend = cls.device(f"{programme}-{name}"[:60], name)
        friend.json("share", "use", link or cls.links[programme])
        number = sum(1 for _ in cls.service.folder.iterdir())
        friend.sign_in(f"friend-{number}@{domain}")
        friend.wait("claims", lambda claim: claim["status"] != "open")

    def referrals(self, programme, state):
        return self.service.admin("referrals", "list", "--programme", programme, f"--{state}")["referrals"]

    def test_an_operator_signs_in_and_out(self):
        for scripts in (False, True):
            with self.subTest(scripts=scripts):
                window = self.window(scripts=scripts)
                for path in PAGES.values():
                    self.open(window, path)
                    self.assertEqual("/admin/sign-in", window.path)
                self.see(window, "sign-in")
                self.enter(window, password="not the right password")
                self.see(window, "with a wrong password")
                self.assertEqual(texts("en")["operator"]["wrong"], window.find("#error").text)
                self.assertFalse(window.cookies)
                self.enter(window)
                self.assertEqual("/admin", window.path)
                cookie, = window.cookies
                self.assertEqual((True, "Strict"), (cookie["httpOnly"], cookie["sameSite"]))
                window.press("form[action$='/admin/sign-out'] button")
                self.open(window, "/admin")
                self.assertEqual("/admin/sign-in", window.path)

    def test_trap_after_signing_out_nobody_goes_back_to_the_pages(self):
        window = self.window()
        for name, path in PAGES.items():
            with self.subTest(name):
                self.enter(window)
                self.open(window, path)
                window.press("form[action$='/admin/sign-out'] button")
                old = window.find("html")
                window.driver.back()
                window.wait(lambda: window.is_gone(old) and window.path == "/admin/sign-in" and window.has("[name=name]"),
                            "the page to sign in")
                self.assertEqual(texts("en")["operator"]["heading"], window.heading)

    def test_the_funnel_is_a_picture_and_a_table_with_the_same_numbers(self):
        visitor = self.window()
        visitor.open(self.links["friends"])
        # The server stores visits in the background.
        until(lambda: self.service.funnel()["visited"], "the visit")
        window = self.entered()
        self.see(window, "funnel")
        shown = {step: int(window.find(f".figures .{step} dd").text) for step in STEPS}
        self.assertEqual(self.service.funnel(), shown)
        self.assertTrue(all(shown.values()), shown)
        for step in STEPS:
            self.assertTrue(window.find(f"svg.plot .{step} .line").get_attribute("d").startswith("M"))
        drawn, named = ([self.stroke(window, f"{place} .{step} .line") for step in STEPS] for place in (".plot", ".legend"))
        self.assertEqual(drawn, named)
        # The curves differ without their colours, too.
        self.assertEqual(len(STEPS), len({dashes for _, dashes, *_ in drawn}))
        rows = [[cell.text for cell in row.find_elements("css selector", "td")]
                for row in window.all("table tbody tr") if len(row.find_elements("css selector", "td")) == 4]
        by_channel = [sum(int(row[column]) for row in rows if row[column].isdigit()) for column in range(4)]
        self.assertEqual(list(shown.values()), by_channel)
        window.find("details summary").click()
        self.see(window, "funnel with its table")
        window.fill("[name=from]", "01012020")
        window.fill("[name=through]", "01312020")
        window.press("form.filter button")
        self.see(window, "funnel of a time without anything")
        self.shows(window, texts("en")["funnel"]["empty"])

    def test_the_filter_by_channel_shows_the_numbers_of_that_channel(self):
        rows = self.service.admin("funnel")["rows"]
        window = self.entered()
        for channel in ("link", "message"):
            with self.subTest(channel):
                self.open(window, "/admin")
                row, = [row for row in window.all("table tbody tr") if row.text.split(" ")[0] == channel]
                in_the_table = [int(cell.text) for cell in row.find_elements("css selector", "td")]
                window.find(f"select[name=channel] option[value={channel}]").click()
                window.press("form.filter button")
                self.see(window, f"funnel of the channel {channel}")
                chosen = window.find("select[name=channel] option:checked")
                self.assertEqual(channel, chosen.get_attribute("value"))
                shown = [int(window.find(f".figures .{step} dd").text) for step in STEPS]
                self.assertEqual(in_the_table, shown)
                self.assertEqual(
                    [sum(row["count"] for row in rows if (row["channel"], row["step"]) == (channel, step))
                     for step in STEPS], shown)
                # Only this channel has a row, and it is the one that is downloaded.
                first = window.find("table.data")
                self.assertEqual(
                    [channel], [head.text for head in first.find_elements("css selector", "tbody th")])
                self.assertIn(f"channel={channel}", window.find("a[href*='funnel.csv']").get_attribute("href"))
        self.assertGreater(shown[0], 0)
        self.assertEqual([0, 0, 0], shown[1:])

    @staticmethod
    def stroke(window, selector):
        """How a line is drawn."""
        line = window.find(selector)
        return [line.value_of_css_property(name)
                for name in ("stroke", "stroke-dasharray", "stroke-width", "stroke-linecap", "vector-effect")]

    def test_on_a_phone_the_selections_of_a_filter_are_as_wide_as_its_button(self):
        window = self.entered()
        for name in ("funnel", "referrals", "deliveries"):
            with self.subTest(name):
                self.open(window, PAGES[name])
                window.look(*LOOKS[0][1:])
                width = window.find("form.filter button").rect["width"]
                for selection in window.all("form.filter select"):
                    self.assertAlmostEqual(width, selection.rect["width"], delta=1)
                window.look(*LOOKS[-1][1:])

    def test_on_a_phone_the_texts_of_the_plot_can_be_read_and_every_figure_has_its_border(self):
        visitor = self.window()
        visitor.open(self.links["friends"])
        until(lambda: self.service.funnel()["visited"], "the visit")
        window = self.entered()
        borders = [figure.value_of_css_property("border-top-width") for figure in window.all(".figures > div")]
        self.assertEqual(["1px"] * len(STEPS), borders)
        window.look(*LOOKS[0][1:])
        plot = window.find("svg.plot")
        size = float(window.find("svg.plot text").value_of_css_property("font-size").removesuffix("px"))
        self.assertGreaterEqual(size * plot.rect["width"] / 720, 11)
        window.look(*LOOKS[-1][1:])

    def test_the_csv_is_that_of_the_command(self):
        window = self.entered()
        link = window.find("a[href*='funnel.csv']")
        cookie = "; ".join(f"{each['name']}={each['value']}" for each in window.cookies)
        request = urllib.request.Request(link.get_attribute("href"), headers={"Cookie": cookie})
        with urllib.request.urlopen(request, timeout=60) as answer:
            # The command's lines are read as text, which ends each with \n alone.
            table = answer.read().decode().replace("\r\n", "\n")
        command = self.service.operator.text("admin", "funnel", "--csv", "--database", str(self.service.database))
        self.assertEqual(command, table)
        link.click()
        file, = until(window.downloads, "a file")
        self.assertEqual(command.splitlines(), file.read_text().splitlines())

    def test_an_operator_releases_one_referral_and_refuses_another(self):
        self.join("Cleo", "slow")
        self.join("Dan", "slow")
        window = self.entered()
        self.open(window, "/admin/referrals?state=held&programme=slow")
        self.see(window, "held referrals")
        self.shows(window, "Cleo", "Dan", texts("en")["reason"]["holding"])
        window.press("button[value=release]")
        self.see(window, "held referrals, none chosen")
        self.shows(window, texts("en")["referrals"]["nothing"])
        for friend, decision in (("Cleo", "release"), ("Dan", "refuse")):
            row, = [row for row in window.all("table.data tbody tr") if friend in row.text]
            row.find_element("css selector", "[name=id]").click()
            window.press(f"button[value={decision}]")
            self.see(window, f"held referrals after {decision}")
            self.assertTrue(window.has(".notice"))
        for state, friend in (("granted", "Cleo"), ("refused", "Dan")):
            self.assertEqual(1, len(self.referrals("slow", state)))
            self.open(window, f"/admin/referrals?state={state}&programme=slow")
            self.see(window, f"{state} referrals")
            self.shows(window, friend)
        self.ada.wait("referrals", lambda each: each["friendName"] == "Cleo" and each["state"] == "granted")

    def test_an_operator_releases_all_that_match_after_a_question(self):
        for name in ("Eve", "Finn", "Gil"):
            self.join(name, "bulk")
        window = self.entered()
        self.open(window, "/admin/referrals?state=held&programme=bulk")
        window.press("button[value=release-all]")
        self.see(window, "question about all")
        self.shows(window, "3")
        self.assertEqual(3, len(self.referrals("bulk", "held")))
        window.press("form:has([name=sure]) button")
        self.see(window, "all released")
        self.assertEqual(0, len(self.referrals("bulk", "held")))
        self.assertEqual(3, len(self.referrals("bulk", "granted")))

    def test_long_names_and_names_from_right_to_left_stay_in_their_place(self):
        programme = "a-name-of-thirty-two-characters-"
        self.service.programme(programme, guards={"soonest-seconds": None, "holding-days": 3})
        host = ".".join(["w" * 60] * 3) + ".example"
        webhook = self.service.admin("webhook", "add", f"https://{host}/hook", "--programme", programme)
        self.service.admin("webhook", "pause", webhook["webhook"]["id"])
        for number, (advocate, friend) in enumerate([(LONG, ARABIC), (ARABIC, LONG)]):
            link = self.device(f"advocate-{number}", advocate).share_link(programme)
            self.join(friend, programme, f"{'m' * 60}.example", link)
        window = self.entered()
        for name, path in (("funnel", f"/admin?programme={programme}"),
                           ("referrals", f"/admin/referrals?state=held&programme={programme}")):
            self.open(window, path)
            self.see(window, f"{name} with long names and names from right to left")
            self.shows(window, LONG, ARABIC)
        self.open(window, PAGES["deliveries"])
        self.see(window, "deliveries with long names")
        self.shows(window, f"f…@{'m' * 60}.example", host, programme)
        # A long name breaks, so that the columns beside it can be seen.
        for path in (f"/admin?programme={programme}", f"/admin/referrals?programme={programme}", PAGES["deliveries"]):
            self.open(window, path)
            for shown in window.all("table.data bdi"):
                self.assertLessEqual(shown.rect["width"], 15 * 16, shown.text)

    def test_deliveries_and_health_are_shown(self):
        window = self.entered()
        for name in ("deliveries", "health"):
            self.open(window, PAGES[name])
            self.see(window, name)
        # An operator recognises an address by its beginning and its end.
        self.open(window, PAGES["deliveries"])
        self.shows(window, "f…@mailinator.example")
        self.hides(window, "friend-")

    def test_health_says_that_the_server_works_and_counts_what_it_does(self):
        window, words = self.entered(), texts("en")["health"]

        def figures():
            """The numbers of the page by their labels."""
            self.open(window, PAGES["health"])
            return {figure.find_element("css selector", "dt").text: int(figure.find_element("css selector", "dd").text)
                    for figure in window.all(".figures > div")}

        before = figures()
        self.see(window, "health of a server that works")
        self.assertEqual(words["ready"], window.find(".notice").text)
        self.assertFalse(window.has(".problem"))
        self.assertEqual(
            {words[name] for name in (
                "running", "connections", "streams", "heavy", "unwritten", "waiting", "paused", "requests", "refusals",
                "errors", "database", "commits", "delivered", "undelivered")}, set(before))
        for name in ("errors", "database"):
            self.assertEqual(0, before[words[name]], name)
        # The request for the page runs while its numbers are read.
        self.assertGreaterEqual(before[words["running"]], 1)
        self.device("zoe").sign_in("zoe@example.com")
        after = until(
            lambda: next((found for found in [figures()] if found[words["delivered"]] > before[words["delivered"]]), None),
            "a message that is counted")
        for name in ("requests", "commits"):
            self.assertGreater(after[words[name]], before[words[name]], name)

    def test_each_language_has_the_whole_page(self):
        window = self.entered()
        for language in LANGUAGES:
            window.speak(language)
            for name, path in PAGES.items():
                with self.subTest(name, language=language):
                    self.open(window, path)
                    self.see(window, f"{name} in {language}")
                    self.assertEqual(language, window.language)
                    self.assertEqual(texts(language)[name]["title"], window.heading)

    def test_a_user_is_no_operator_and_an_operator_no_user(self):
        user = self.window(scripts=False)
        self.sign_in(user, "user@example.com")
        self.open(user, "/admin")
        self.assertEqual("/admin/sign-in", user.path)
        operator = self.entered()
        self.open(operator, "/account")
        self.assertEqual("/sign-in", operator.path)
