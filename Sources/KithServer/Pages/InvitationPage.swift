package import HTTPTypes
package import KithModel

/// The page of a link: what it offers, and the ways to accept it.
package struct InvitationPage: Sendable {
    /// The link's addresses.
    package let link: PageLink
    /// What the link offers.
    package let offer: LinkPreview
    /// Where people get the app, if the operator has named a page.
    package let appPage: String?
    /// Whether the page has the form for an email: the server must send codes.
    package let hasForm: Bool

    package init(_ link: PageLink, _ offer: LinkPreview, appPage: String?, hasForm: Bool) {
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
        var values: [String: PageValue] = [
            "heading": .phrase(offer.isPublic ? "offer.publicHeading" : "offer.heading"), "name": .text(offer.name),
            "role": .phrase("offer.\(offer.role.rawValue)"), "items": .number(offer.items),
            "members": .number(offer.members), "ticket": .text(ticket.text), "email": .text(email),
            "form": .flag(hasForm && !offer.isPublic),
            "app": .text(PageLink.opening(offer.isPublic ? link.publicAddress : link.address)),
            "command": .text(
                offer.isPublic ? "kith lists read \(link.publicAddress)" : "kith lists accept \(link.address)"),
        ]
        values["expires"] = offer.expires.map(PageValue.date)
        values["appPage"] = appPage.map(PageValue.text)
        values["error"] = error
        if offer.isPublic { values["readable"] = .text(link.publicAddress) }
        return Page(.invitation, status, title: .titled(offer.name, "offer.title"), values)
    }
}
