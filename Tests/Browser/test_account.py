"""Signing in, and the page of one's own account."""

import http.client
import json
import urllib.parse

from case import BrowserCase
from service import Refused, Waiting, texts, until
from window import LANGUAGES

LONG = "W" * 90
ARABIC = "سلمى"


def action(name):
    """The button of a form of the account."""
    return f"form:has([name=do][value={name}]) button"


class SignInTests(BrowserCase):
    chapter = "Sign in"

    def test_a_person_signs_in_with_a_code_without_scripts(self):
        self.signs_in_with_mistakes(self.window(scripts=False), "ada@example.com", pictures=True)

    def test_a_person_signs_in_with_a_code_with_scripts(self):
        self.signs_in_with_mistakes(self.window(), "eve@example.com")

    def signs_in_with_mistakes(self, window, address, pictures=False):
        def see(name):
            if pictures:
                self.see(window, name)

        # The page of the account is only for people who are signed in.
        self.open(window, "/account")
        self.assertEqual("/sign-in", window.path)
        see("at first")
        window.fill("[name=email]", "b" * 65 + "@example.com")
        window.press("form:has([name=email]) button")
        see("with a wrong email")
        self.assertEqual("true", window.find("[name=email]:not([type=hidden])").get_attribute("aria-invalid"))
        window.wait(lambda: window.has("[name=email]:focus"), "the focus")
        window.fill("[name=email]", address)
        window.press("form:has([name=email]) button")
        see("waiting for the code")
        code = self.service.code(address)
        window.fill("[name=code]", "000000" if code != "000000" else "000001")
        window.press("form:has([name=code]) button")
        see("with a wrong code")
        self.assertEqual(texts("en")["code"]["wrong"], window.find("#error").text)
        window.fill("[name=code]", code)
        window.press("form:has([name=code]) button")
        self.assertEqual("/account", window.path)
        self.shows(window, address)
        cookie, = window.cookies
        self.assertEqual((True, "Lax", "/"), (cookie["httpOnly"], cookie["sameSite"], cookie["path"]))
        window.press(action("signOut"))
        see("signed out")
        self.open(window, "/account")
        self.assertEqual("/sign-in", window.path)

    def test_each_language_has_the_whole_page(self):
        window = self.window(scripts=False)
        self.in_each_language(window, "/sign-in", lambda words: self.shows(window, words["accept"]["button"]))

    def test_a_passkey_signs_in(self):
        window = self.window()
        window.add_authenticator()
        phone = self.device("phone")
        phone.sign_in("kim@example.com")
        adding = Waiting(phone, "session", "passkey", "add", "--name", "Chromium")
        window.hold("*/v1/passkeys/page")
        self.open(window, adding.page)
        words = texts("en")
        window.wait(lambda: window.find("#status").text == words["layout"]["waiting"], "a page that waits")
        self.see(window, "opening the page for a passkey")
        window.release()
        window.wait(lambda: window.find("#adding").is_displayed(), "a page that adds a passkey")
        self.assertEqual("", window.find("#status").text)
        self.see(window, "adding a passkey")
        window.find("#adding button").click()
        window.wait(lambda: window.find("#status").text == words["passkey"]["added"], "a passkey")
        self.assertTrue(window.has("#status:focus"))
        self.see(window, "with an added passkey")
        adding.answer()
        self.open(window, "/sign-in")
        window.wait(lambda: window.find("#passkey button").is_displayed(), "a button for passkeys")
        self.see(window, "with a passkey")
        self.assertEqual("", window.find("#waiting").text)
        window.hold("*/v1/passkeys/signins")
        window.find("#passkey button").click()
        window.wait(lambda: window.find("#waiting").text == words["layout"]["waiting"], "a page that waits")
        self.assertEqual("true", window.find("#passkey button").get_attribute("aria-busy"))
        self.see(window, "waiting for a passkey")
        window.release()
        window.wait(lambda: window.path == "/account", "the page of the account")
        self.shows(window, "kim@example.com", "Chromium")

    def test_trap_the_button_for_a_passkey_says_why_the_server_refuses(self):
        window = self.window()
        window.order("Page.addScriptToEvaluateOnNewDocument", source="""
            window.fetch = async () => {
                if (window.refusal === null) throw new TypeError("Failed to fetch");
                return new Response(window.refusal, { status: 503 });
            };
        """)
        for body, section, name in [
                ('{"code":"busy"}', "problem", "busyText"), ('{"code":"tooFast"}', "problem", "tooFastText"),
                ("<html>", "problem", "failedText"), (None, "layout", "offline")]:
            with self.subTest(name):
                self.open(window, "/sign-in")
                window.wait(lambda: window.find("#passkey button").is_displayed(), "a button for passkeys")
                window.driver.execute_script("window.refusal = arguments[0]", body)
                window.find("#passkey button").click()
                window.wait(lambda: window.find("#failed").text, "a reason")
                self.assertEqual(texts("en")[section][name], window.find("#failed").text)
                self.assertTrue(window.has("#passkey button:focus"))

    def test_trap_at_another_host_than_the_domain_of_the_passkeys_there_is_no_button_that_cannot_work(self):
        window = self.window()
        # As if the page was opened at the IP address of the server.
        window.order("Page.addScriptToEvaluateOnNewDocument", source="""
            document.addEventListener("readystatechange", () => {
                const form = document.querySelector("#passkey form");
                if (form) form.dataset.domain = "elsewhere.example";
            }, { once: true });
        """)
        self.open(window, "/sign-in")
        self.assertTrue(window.has("[data-domain='elsewhere.example']"))
        self.assertFalse(window.find("#passkey button").is_displayed())
        self.assertTrue(window.find("[name=email]").is_displayed())

    def test_trap_the_page_for_a_passkey_says_what_is_wrong_in_its_language(self):
        window = self.window()
        for language in LANGUAGES:
            with self.subTest(language):
                window.speak(language)
                # Nobody has this ticket.
                self.open(window, "/passkey#" + 43 * "A")
                window.wait(lambda: window.find("#failed").text, "a reason")
                self.assertEqual(texts(language)["passkey"]["over"], window.find("#failed").text)
                # Another try would fail too.
                self.assertFalse(window.find("#again").is_displayed())

    def test_trap_the_network_fails_while_the_page_for_a_passkey_loads_and_the_page_can_be_used_nevertheless(self):
        window, words = self.window(), texts("en")
        window.add_authenticator()
        # What answers instead of the server, until `window.isWell` is true.
        window.order("Page.addScriptToEvaluateOnNewDocument", source="""
            const ask = window.fetch.bind(window);
            const answers = {
                offline: () => { throw new TypeError("Failed to fetch"); },
                proxy: () => new Response("<html>Bad gateway", { status: 502 }),
                busy: () => new Response('{"code":"busy"}', { status: 503 }),
            };
            window.fetch = async (...request) => {
                const fault = sessionStorage.getItem("fault");
                return fault && String(request[0]).includes(sessionStorage.getItem("path")) ? answers[fault]() : ask(...request);
            };
        """)

        def fail(fault, path="passkeys/page"):
            window.driver.execute_script(
                "sessionStorage.setItem('fault', arguments[0]); sessionStorage.setItem('path', arguments[1])", fault, path)

        self.open(window, "/sign-in")
        for fault, section, name in [
                ("offline", "layout", "offline"), ("proxy", "problem", "failedText"), ("busy", "problem", "busyText")]:
            with self.subTest(fault):
                phone = self.device(f"shaky-{fault}")
                phone.sign_in(f"{fault}@example.com")
                adding = Waiting(phone, "session", "passkey", "add", "--name", fault)
                fail(fault)
                self.open(window, adding.page)
                window.wait(lambda: window.find("#failed").text, "a reason")
                self.assertEqual(words[section][name], window.find("#failed").text)
                self.assertTrue(window.has("#again:focus"))
                self.see(window, f"of a passkey, {fault}")
                # The page is loaded again, although its address has no ticket any more.
                self.assertNotIn("#", window.driver.current_url)
                window.driver.refresh()
                window.wait(lambda: window.find("#again").is_displayed(), "a button to try again")
                fail("")
                window.find("#again").click()
                window.wait(lambda: window.find("#adding").is_displayed(), "a page that adds a passkey")
                self.assertFalse(window.find("#again").is_displayed())
                # The answer to the passkey is lost.
                fail(fault, "passkeys/page/response")
                window.find("#adding button").click()
                window.wait(lambda: window.find("#failed").text, "a reason")
                self.assertEqual(words[section][name], window.find("#failed").text)
                self.assertTrue(window.has("#adding button:focus"))
                fail("")
                window.find("#adding button").click()
                window.wait(lambda: window.find("#status").text == words["passkey"]["added"], "a passkey")
                adding.answer()
                window.driver.refresh()
                window.wait(lambda: window.find("#failed").text == words["passkey"]["over"], "the end of the page")

    def test_a_page_for_a_passkey_that_ends_before_its_button_is_pressed_keeps_the_focus(self):
        window = self.window()
        joining = Waiting(self.device("ended"), "session", "passkey", "login")
        self.addCleanup(joining.process.wait)
        self.addCleanup(joining.process.kill)
        self.open(window, joining.page)
        window.wait(lambda: window.find("#signing-in button").is_displayed(), "a button")
        window.driver.execute_script(
            "window.fetch = async () => new Response('{\"code\":\"notFound\"}', { status: 404 })")
        window.find("#signing-in button").click()
        window.wait(lambda: window.find("#failed").text, "a reason")
        self.assertEqual(texts("en")["passkey"]["over"], window.find("#failed").text)
        self.assertFalse(window.find("#signing-in button").is_displayed())
        self.assertTrue(window.has("#main:focus"))

    def test_somebody_who_cancels_the_dialogue_of_the_browser_stays_at_the_button(self):
        window = self.window()
        window.order("Page.addScriptToEvaluateOnNewDocument", source="""
            if (navigator.credentials) {
                navigator.credentials.get = async () => { throw new DOMException("", "NotAllowedError"); };
            }
        """)
        joining = Waiting(self.device("cancelling"), "session", "passkey", "login")
        self.addCleanup(joining.process.wait)
        self.addCleanup(joining.process.kill)
        for address, button in ((joining.page, "#signing-in button"), ("/sign-in", "#passkey button")):
            with self.subTest(button):
                self.open(window, address)
                window.wait(lambda: window.find(button).is_displayed(), "a button")
                window.find(button).click()
                window.wait(lambda: window.find("#failed").text, "a reason")
                self.assertEqual(texts("en")["passkey"]["cancelled"], window.find("#failed").text)
                self.assertTrue(window.has(f"{button}:focus"))
                self.assertFalse(window.has("[aria-busy]"))


class AccountTests(BrowserCase):
    chapter = "Account"

    def sessions(self, window):
        return window.driver.find_elements("css selector", action("closeSession"))

    def is_signed_out(self, phone):
        with self.assertRaises(Refused) as refused:
            phone.json("sync")
        self.assertEqual(4, refused.exception.status)

    def test_a_new_account_says_what_it_lacks(self):
        window = self.window(scripts=False)
        self.sign_in(window, "new@example.com")
        self.see(window, "new")
        # Nobody locks themselves out.
        window.press(action("removeWay"))
        self.see(window, "asked about a way to sign in")
        self.shows(window, texts("en")["account"]["removeText"], "new@example.com")
        window.press(action("removeWay"))
        self.see(window, "with its last way to sign in")
        self.shows(window, texts("en")["account"]["lastWay"], "new@example.com")

    def test_each_language_has_the_whole_page(self):
        window = self.window(scripts=False)
        self.sign_in(window, "kay@example.com")
        self.in_each_language(window, "/account", lambda words: self.shows(window, words["account"]["title"]))

    def test_long_names_and_names_from_right_to_left_stay_in_their_place(self):
        for name, shown in [("long", LONG), ("right to left", ARABIC)]:
            with self.subTest(name):
                window, device = self.window(scripts=False), name.replace(" ", "-")
                self.sign_in(window, f"{device}@example.com")
                self.phone(window, device, shown)
                self.open(window, "/account")
                self.see(window, f"{name} names")
                self.shows(window, shown)

    def test_a_person_closes_the_session_of_a_lost_phone(self):
        window = self.window(scripts=False)
        self.sign_in(window, "gil@example.com")
        phone = self.phone(window, "lost", "Gil")
        self.open(window, "/account")
        self.see(window, "with two sessions")
        self.shows(window, "Browser (Chrome, Linux)", "Gil")
        self.assertEqual(1, len(self.sessions(window)))
        window.press(action("closeSession"))
        self.see(window, "with a closed session")
        self.assertEqual(0, len(self.sessions(window)))
        self.assertEqual("/account", window.path)
        self.is_signed_out(phone)

    def test_a_person_closes_all_other_sessions(self):
        window = self.window()
        self.sign_in(window, "hal@example.com")
        phones = [self.phone(window, f"phone-{number}") for number in (1, 2)]
        self.open(window, "/account")
        self.assertEqual(2, len(self.sessions(window)))
        window.press(action("closeOthers"))
        self.see(window, "asked about all other sessions")
        self.shows(window, texts("en")["account"]["closeOthersText"])
        # Whoever has changed their mind is back at the account, and nobody was signed out.
        window.press("a.button[href$='/account']")
        self.assertEqual(2, len(self.sessions(window)))
        window.press(action("closeOthers"))
        window.press(action("closeOthers"))
        self.shows(window, texts("en")["account"]["closedOthers"])
        # The page says it once.
        window.wait(lambda: "done" not in window.driver.current_url, "an address without it")
        window.driver.refresh()
        self.assertNotIn(texts("en")["account"]["closedOthers"], window.text)
        self.assertFalse(self.sessions(window))
        for phone in phones:
            self.is_signed_out(phone)

    def test_the_export_is_a_file_with_what_the_account_has(self):
        window = self.window(scripts=False)
        self.sign_in(window, "ida@example.com")
        phone = self.phone(window, "export", "Ida")
        phone.make_list("Plants", "Fern")
        phone.json("sync")
        window.find("form[action*=export] button").click()
        file, = until(window.downloads, "a file")
        text = json.dumps(json.loads(file.read_text()), ensure_ascii=False)
        for part in ("Plants", "Fern", "Ida", "ida@example.com"):
            self.assertIn(part, text)

    def test_trap_after_signing_out_nobody_goes_back_to_the_account(self):
        window, phone = self.window(), self.device("back")
        phone.sign_in("mae@example.com")
        for page, number in (("/account", 1), ("/account/delete", 2)):
            with self.subTest(page):
                self.enter(window, phone)
                self.open(window, page)
                if page == "/account/delete":
                    window.press("a[href$='/account']")
                window.press(action("signOut"))
                for _ in range(number):
                    old = window.find("html")
                    window.driver.back()
                    window.wait(lambda: window.is_gone(old) and window.path == "/sign-in" and window.has("[name=email]"),
                                "the page to sign in")
                    self.hides(window, "mae@example.com", texts("en")["account"]["deleteTitle"])

    def test_a_file_that_is_saved_leaves_the_page_as_it_was(self):
        window = self.window()
        self.sign_in(window, "ned@example.com")
        window.find("form[action*=export] button").click()
        until(window.downloads, "a file")
        self.assertTrue(window.find("h1").is_displayed())
        self.shows(window, "ned@example.com")

    def test_an_account_is_deleted_only_with_the_right_word(self):
        window = self.window(scripts=False)
        self.sign_in(window, "joe@example.com")
        phone = self.phone(window, "leaving", "Joe")
        window.press("a[href$='/account/delete']")
        self.see(window, "to be deleted")
        window.fill("[name=word]", "no")
        window.press("form:has([name=word]) button")
        self.see(window, "not deleted")
        self.shows(window, texts("en")["account"]["wrongWord"])
        window.wait(lambda: window.has("[name=word]:focus"), "the focus")
        window.fill("[name=word]", texts("en")["account"]["word"])
        window.press("form:has([name=word]) button")
        self.see(window, "deleted")
        self.assertFalse(window.cookies)
        self.is_signed_out(phone)

    def test_a_form_of_another_website_changes_nothing(self):
        window = self.window(scripts=False)
        self.sign_in(window, "lea@example.com")
        self.phone(window, "safe")
        self.open(window, "/account")
        cookie = "; ".join(f"{each['name']}={each['value']}" for each in window.cookies)
        button = window.find("form:has([name=do][value=closeOthers])")
        fields = {each.get_attribute("name"): each.get_attribute("value")
                  for each in button.find_elements("css selector", "input")}
        wrong = {**fields, "proof": "A" * 43}
        for form, headers, status in [
            (fields, {"Sec-Fetch-Site": "cross-site"}, 403), (fields, {"Origin": "https://elsewhere.example"}, 403),
            (wrong, {}, 303),
        ]:
            connection = http.client.HTTPConnection("127.0.0.1", self.service.port)
            connection.request("POST", "/account", urllib.parse.urlencode(form), {
                "Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded",
                "Host": f"localhost:{self.service.port}", **headers})
            self.assertEqual(status, connection.getresponse().status, headers)
            connection.close()
        self.open(window, "/account")
        self.assertEqual(1, len(self.sessions(window)))


class JoiningTests(BrowserCase):
    chapter = "Joining"

    @classmethod
    def prepare(cls):
        cls.service.programme()
        cls.ada = cls.device("ada", "Ada")
        cls.ada.sign_in("ada@example.com")
        cls.link = cls.ada.share_link()

    def join(self, window, address):
        """Opens Ada's link and signs up there."""
        window.open(self.link)
        window.press("a[href*='/sign-in?share=']")
        self.shows(window, "Ada")
        self.sign_in(window, address, at=window.driver.current_url)

    def shown(self, window, *wanted):
        """Loads the page of the account until it shows the texts: the server decides about codes in the background."""
        def are_shown():
            self.open(window, "/account")
            return all(text in window.text for text in wanted)
        until(are_shown, f"{wanted} at /account")

    def test_a_friend_joins_by_the_link_and_both_are_rewarded(self):
        for scripts in (False, True):
            with self.subTest(scripts=scripts):
                window = self.window(scripts=scripts)
                window.open(self.link)
                window.press("a[href*='/sign-in?share=']")
                self.see(window, "by the link")
                self.join(window, f"friend-{scripts}@example.com".lower())
                self.shown(window, "A week of tea", texts("en")["account"]["boundCode"])
                self.see(window, "with a reward")
        advocate = self.window(scripts=False)
        self.enter(advocate, self.ada)
        self.see(advocate, "seen by the advocate")
        self.assertEqual(2, advocate.text.count(texts("en")["account"]["grantedState"]))
        self.assertTrue(self.ada.wait("referrals", lambda referral: referral["state"] == "granted"))

    def test_somebody_with_an_old_account_uses_the_code_and_reads_that_it_does_not_count(self):
        window = self.window(scripts=False)
        self.enter(window, self.ada)
        window.open(self.link)
        window.press("a[href*='/sign-in?share=']")
        self.see(window, "when already signed in")
        window.press(action("useCode"))
        self.shown(window, texts("en")["account"]["yourOwn"])
        self.see(window, "with one’s own code")

    def test_a_second_code_does_not_count_and_its_long_reason_fits(self):
        window = self.window(scripts=False)
        self.join(window, "mia@example.com")
        self.shown(window, texts("en")["account"]["boundCode"])
        window.speak("de")
        window.open(self.device("bob", "Bob").share_link())
        window.press("a[href*='/sign-in?share=']")
        window.press(action("useCode"))
        self.shown(window, texts("de")["account"]["alreadyBound"])
        self.see(window, "with a code that does not count, in de")
