"""The whole story: Ada shares, Ben comes, both are rewarded, Ada's wishes find givers, and the operator sees it."""

from case import BrowserCase
from service import texts, until


class StoryTests(BrowserCase):
    """With scripts, and without them."""

    chapter = "Story"

    def test_the_whole_story_with_scripts(self):
        self.tell("with", scripts=True)

    def test_the_whole_story_without_scripts(self):
        self.tell("without", scripts=False)

    def tell(self, how, scripts):
        english, programme = texts("en"), f"friends-{how}"
        self.service.programme(programme)
        # Ada, who has the app, wishes for something, shares, and invites to a list.
        ada = self.device(how, "Ada")
        ada.sign_in(f"ada-{how}@example.com")
        ada.make_list("Wishes", "A teapot", "A cup", kind="wish")
        wishes = ada.public_link("Wishes", "--ticks")
        ada.make_list("Picnic", "Bread")
        invitation = ada.json("lists", "share", "Picnic")["link"]["url"]
        link = ada.share_link(programme)
        ada.json("share", "edit", "--programme", programme, "--list-link", wishes)
        ada.json("share", "note", "--programme", programme, "--by", "message")
        ada.json("sync")

        # Ben opens the link. He says what he gives, and signs up.
        ben, other = self.window(scripts), self.window(scripts)
        ben.open(link)
        self.shows(ben, "Ada", "A teapot")
        self.see(ben, f"1, the page of the link, {how} scripts")
        other.open(wishes)
        if scripts:
            other.wait(lambda: english["public"]["live"] in other.find("#live").text, "live")
        ben.press(".items > li:nth-child(1) form button")
        self.shows(ben, english["public"]["mine"])
        self.see(ben, f"2, with a gift, {how} scripts")
        if not scripts:
            other.open(wishes)
        other.wait(lambda: english["public"]["taken"] in other.text, "the gift in another window")
        self.see(other, f"3, the gift in another window, {how} scripts")
        ben.press("a[href*='/sign-in?share=']")
        self.see(ben, f"4, signing up, {how} scripts")
        self.sign_in(ben, f"ben-{how}@example.com", at=ben.driver.current_url)

        # Both are rewarded.
        def is_rewarded():
            ben.driver.refresh()
            return "A week of tea" in ben.text and english["account"]["boundCode"] in ben.text
        until(is_rewarded, "Ben's reward")
        self.see(ben, f"5, rewarded, {how} scripts")
        ada.wait("rewards", lambda reward: reward["programme"] == programme)
        page = self.window(scripts)
        self.enter(page, ada)
        self.shows(page, "A week of tea", english["account"]["friends"])
        self.see(page, f"6, the account of the one who shared, {how} scripts")
        # She sees no gift, neither here nor on her device.
        page.open(wishes)
        self.hides(page, english["public"]["taken"], english["public"]["mine"])
        self.assertFalse(any(item["ticked"] for item in ada.items("Wishes")))

        # Cleo joins the list for the picnic.
        cleo = self.window(scripts)
        cleo.open(invitation)
        cleo.fill("#email", f"cleo-{how}@example.com")
        cleo.press("form:has(#email) button")
        cleo.fill("#code", self.service.code(f"cleo-{how}@example.com"))
        cleo.press("form:has(#code) button")
        self.assertEqual(english["joined"]["list"], cleo.heading)
        ada.json("sync")
        self.assertEqual(2, len(ada.json("lists", "members", "Picnic")["members"]))

        # The operator sees one of each step.
        password = self.service.admin("operator", "add", how)["password"]
        operator = self.window(scripts)
        self.open(operator, "/admin/sign-in")
        operator.fill("[name=name]", how)
        operator.fill("[name=password]", password)
        operator.press("form:has([name=password]) button")
        self.open(operator, f"/admin?programme={programme}")
        self.see(operator, f"7, the funnel, {how} scripts")
        shown = {step: operator.find(f".figures .{step} dd").text for step in ("shared", "visited", "joined", "rewarded")}
        self.assertEqual(dict.fromkeys(shown, "1"), shown)
