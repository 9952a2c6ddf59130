/// A request of the web page, with the ticket of its address: `POST /v1/passkeys/page`.
package struct PasskeyPageRequest: Hashable, Sendable, Codable {
    /// The ticket.
    package var ticket: String

    package init(ticket: String) { self.ticket = ticket }
}
