package import HTTPTypes
import KithModel

/// The page of a link: what it offers, and the ways to accept it.
package struct InvitationPage: Sendable {
    /// The link.
    package let link: PageLink
    /// What the link offers.
    package let offer: PageOffer
    /// Where people get the app, if the operator has named a page.
    package let appPage: String?
    /// Whether the page has the form for an email: the server must send codes.
    package let hasForm: Bool

    package init(_ link: PageLink, _ offer: PageOffer, appPage: String?, hasForm: Bool) {
        (self.link, self.offer, self.appPage, self.hasForm) = (link, offer, appPage, hasForm)
    }

    /// The page.
    ///
    /// - Parameters:
    ///   - ticket: The ticket of the form.
    ///   - email: The email that was entered before.
    ///   - error: What is wrong with it, if anything.
    ///   - status: The status of the answer.
    /// - Returns: The page.
    package func page(
        _ ticket: PageTicket, email: String = "", error: PageValue? = nil, status: HTTPResponse.Status = .ok
    ) -> Page {
        let isForReading = offer.purpose == .read
        let address = isForReading ? link.publicAddress : link.address
        var values: [String: PageValue] = [
            "heading": .phrase("offer.\(offer.purpose.rawValue)"), "ticket": .text(ticket.text), "email": .text(email),
            "form": .flag(hasForm && !isForReading), "noForm": .flag(!hasForm && !isForReading),
            "app": .text(PageLink.opening(address)),
            "command": .text("kith \(command(address))"),
            "commandText": .phrase(isForReading ? "command.read" : "command.text"),
            "private": .phrase(offer.list == nil ? "accept.later" : "accept.private"),
        ]
        values["error"] = error
        values["appPage"] = appPage.map(PageValue.text)
        if isForReading { values["readable"] = .text(address) }
        values.merge(card) { $1 }
        return Page(.invitation, status, title: title, values)
    }

    private func command(_ address: String) -> String {
        switch (offer.purpose, link.kind) {
        case (.read, _): "lists read \(address)"
        case (_, .list): "lists accept \(address)"
        case (_, .invitation): "invite open \(address) --accept"
        }
    }

    private var title: PageValue {
        (offer.list ?? offer.inviter).map { .titled($0, "offer.title") } ?? .phrase("offer.title")
    }

    /// The facts of the offer that the link reveals.
    private var card: [String: PageValue] {
        var values: [String: PageValue] = [:]
        values["name"] = (offer.list ?? offer.inviter).map(PageValue.text)
        if offer.list != nil { values["inviter"] = offer.inviter.map(PageValue.text) }
        values["role"] = offer.role.map { .phrase("offer.\($0.rawValue)") }
        values["items"] = offer.items.map(PageValue.number)
        values["members"] = offer.members.map(PageValue.number)
        values["expires"] = offer.expires.map(PageValue.moment)
        values["text"] = offer.text.map(PageValue.lines)
        values["connects"] = .flag(offer.alsoConnects)
        return values
    }
}
