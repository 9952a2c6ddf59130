import KithModel

/// The page with the form for a code that was sent.
package enum CodePage {
    /// The page.
    ///
    /// - Parameters:
    ///   - link: The link that the code accepts.
    ///   - email: Where the code was sent.
    ///   - ticket: The ticket with which it was requested.
    ///   - next: A new ticket, for another code.
    ///   - limits: The limits of codes.
    ///   - problem: Why no other code was sent, if one was requested.
    ///   - error: What is wrong with the code that was entered, if anything.
    /// - Returns: The page.
    package static func page(
        _ link: PageLink, email: String, _ ticket: PageTicket, next: PageTicket, limits: CodeLimits,
        problem: PageValue? = nil, error: PageValue? = nil
    ) -> Page {
        var page = page(
            back: link.address, email: email, ticket, next: next, limits: limits, problem: problem, error: error)
        page.values["button"] = .phrase("code.button")
        return page
    }

    /// The page for another purpose than a link. The code may have been sent to a number. `hint` is the text that says how long
    /// and where the code is valid. The caller adds the text of the button.
    static func page(
        back address: String, email: String, isNumber: Bool = false, hint: String = "code.hint", _ ticket: PageTicket,
        next: PageTicket, limits: CodeLimits, problem: PageValue?, error: PageValue?
    ) -> Page {
        var values: [String: PageValue] = [
            "sent": .phrase("code.sent", ["digits": String(limits.digits)]), "email": .text(email),
            "ticket": .text(ticket.text), "nextTicket": .text(next.text), "address": .text(address),
            "hint": .phrase(hint, ["minutes": String(limits.lifetime.wholeSeconds / 60)]),
            "delay": .phrase(isNumber ? "code.delay" : "code.spam"),
            "other": .phrase(isNumber ? "code.otherWay" : "code.other"),
        ]
        values["problem"] = problem
        values["error"] = error
        return Page(.code, title: .phrase("code.title"), values)
    }
}
