import KithModel

/// The person in front of a page.
package struct BrowserVisitor: Sendable {
    /// The network of the browser, as text: a /24 of IPv4, a /56 of IPv6.
    package let network: String
    /// Where the browser is, for messages: its address.
    package let place: String
    /// The browser's languages, most wanted first.
    package let languages: [String]
    /// The language of the page.
    package let language: PageLanguage
    /// The name of the browser.
    package let name: BrowserName

    package init(network: String, place: String, languages: [String], language: PageLanguage, name: BrowserName) {
        (self.network, self.place, self.languages) = (network, place, languages)
        (self.language, self.name) = (language, name)
    }

    /// The name of the browser's session.
    package var device: String { name.text(in: language) }

    /// The languages of texts that the operator has written, most wanted first.
    package var wanted: [String] { languages + [language.rawValue] }

    /// Who sends a request about signing in. The token is the browser's cookie.
    func requester(_ account: AccountID, _ token: String) -> Requester {
        Requester(account: account, token: token, network: network, place: place, isBrowser: true)
    }
}
