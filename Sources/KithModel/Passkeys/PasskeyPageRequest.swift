/// A request of the web page for its content: `POST /v1/passkeys/page`.
package struct PasskeyPageRequest: Hashable, Sendable, Codable {
    /// The ticket in the fragment of the page's address.
    package var ticket: String

    package init(ticket: String) { self.ticket = ticket }
}
