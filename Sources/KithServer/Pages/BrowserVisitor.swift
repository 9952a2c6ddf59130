import KithModel

/// The person in front of a page.
package struct BrowserVisitor: Sendable {
    /// The network of the browser, as text: a /24 of IPv4, a /56 of IPv6.
    package let network: String
    /// The address of the browser, for messages.
    package let address: String
    /// The browser's languages, most wanted first.
    package let languages: [String]
    /// The language of the page.
    package let language: PageLanguage
    /// The name of the browser.
    package let name: BrowserName

    package init(network: String, address: String, languages: [String], language: PageLanguage, name: BrowserName) {
        (self.network, self.address, self.languages) = (network, address, languages)
        (self.language, self.name) = (language, name)
    }

    /// The name of the browser's session.
    package var device: String { name.text(in: language) }

    /// The languages of texts that the operator has written, most wanted first.
    package var wanted: [String] { languages + [language.rawValue] }

    /// Who sends a request about signing in. The token is the browser's cookie.
    func requester(_ token: String) -> Requester {
        Requester(.browser, token: token, network: network, address: address)
    }
}
