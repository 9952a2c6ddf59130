import Foundation
import KithModel
import KithServer
import Testing

@Suite("Codes and rewards on the page of an account") struct AccountPageSharingTests {
    /// The page of an account, in the first of these languages.
    private func html(_ overview: AccountOverview, _ language: PageLanguage, wanted: [String]) -> String {
        let session = SessionDescription(
            account: AccountID(UUID()), kind: "identified", created: Timestamp(milliseconds: 0))
        let page = AccountPage(for: BrowserSession(session, token: "token"), languages: wanted)
        return PageRenderingTests.html(page.page(overview), language)
    }

    @Test(
        "Trap: a code was accepted, and its reward is held or refused – the page does not promise the reward",
        arguments: [
            (PageLanguage.english, "accepted"), (.german, "angenommen"), (.spanish, "aceptado"), (.french, "accepté"),
        ])
    func accepted(language: PageLanguage, word: String) {
        let text = html(.full("Milk"), language, wanted: [language.rawValue])
        #expect(text.contains("<span class=\"badge good\">\(word)</span>"))
    }

    @Test("A reward has its title in the language of the page, unless the programme has changed its titles since")
    func titles() {
        var overview = AccountOverview.full("A voucher")
        overview.sharing.programmes["friends"]?.advocateReward?.title = ["en": "A voucher", "de": "Ein Gutschein"]
        let strong = { (title: String) in "<strong><bdi\(title)</bdi></strong>" }
        let german = html(overview, .german, wanted: ["de", "en"])
        #expect(german.contains(strong(" lang=\"de\">Ein Gutschein")))
        #expect(html(overview, .english, wanted: ["en"]).contains(strong(" lang=\"en\">A voucher")))
        let french = html(overview, .french, wanted: ["fr", "de"])
        #expect(french.contains(strong(" lang=\"de\">Ein Gutschein")))

        // Another title is another promise: the one that was given stays.
        overview.sharing.programmes["friends"]?.advocateReward?.title = ["en": "Two vouchers", "de": "Zwei Gutscheine"]
        let changed = html(overview, .german, wanted: ["de"])
        #expect(changed.contains(strong(">A voucher")) && !changed.contains("Gutscheine"))
        overview.sharing.programmes["friends"]?.advocateReward = nil
        #expect(html(overview, .german, wanted: ["de"]).contains(strong(">A voucher")))
    }
}
