import KithModel

/// The person in front of a page.
package struct BrowserVisitor: Sendable {
    /// The address of the browser. Limits count its network, and messages name it.
    package let address: IPAddress
    /// The browser's languages, most wanted first.
    package let languages: [String]
    /// The language of the page.
    package let language: PageLanguage
    /// The name of the browser.
    package let name: BrowserName

    package init(address: IPAddress, languages: [String], language: PageLanguage, name: BrowserName) {
        (self.address, self.languages, self.language, self.name) = (address, languages, language, name)
    }

    /// The name of the browser's session.
    package var device: String { name.text(in: language) }

    /// The languages of texts that the operator has written, most wanted first.
    package var wanted: [String] { languages + [language.rawValue] }

    /// Who sends a request about signing in. The token is the browser's cookie.
    func requester(_ token: String) -> Requester {
        Requester(.browser, token: token, address: address)
    }
}
