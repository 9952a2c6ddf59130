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
}
