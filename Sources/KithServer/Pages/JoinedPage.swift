package import KithModel

/// The page after a link was accepted: what has happened, and what to do next.
package enum JoinedPage {
    /// The page.
    ///
    /// - Parameters:
    ///   - offer: What the link has offered.
    ///   - role: The role that the account now has in the list, if the link was for one.
    ///   - email: The email of the account.
    ///   - origin: The public address of the server.
    ///   - appPage: Where people get the app, if the operator has named a page.
    /// - Returns: The page.
    package static func page(
        _ offer: PageOffer, role: Role?, email: String, origin: String, appPage: String?
    ) -> Page {
        let (name, purpose) = (offer.list ?? offer.inviter, offer.purpose.rawValue)
        var values: [String: PageValue] = [
            "heading": .phrase("joined.\(purpose)"), "there": .phrase("joined.\(purpose)There"), "email": .text(email),
            "register": .text("kith --server \(origin) session register \(quoted(email))"),
            "verify": .text("kith --server \(origin) session verify CODE"),
        ]
        values["name"] = name.map(PageValue.text)
        values["role"] = role.map { .phrase("offer.\($0.rawValue)") }
        values["appPage"] = appPage.map(PageValue.text)
        return Page(
            .joined, title: name.map { .titled($0, "joined.title") } ?? .phrase("joined.title"), values)
    }

    /// The text as one word of a shell. An email may contain characters that have a meaning there.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0.isLetterOrDigit || "@._+-".utf8.contains($0) }
        return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }
}
