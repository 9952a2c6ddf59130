package import HTTPTypes
package import KithModel

/// The page on which people sign in to their account, with an email or a number, or with a passkey.
package struct SignInPage: Sendable {
    /// What the page says has happened before.
    package enum Notice: String, CaseIterable, Sendable {
        /// The visitor has signed out.
        case signedOut
        /// The account was deleted.
        case deleted
    }

    /// The path of the page below the public address of the server.
    package static let path = "/sign-in"

    private let ways: SignInWays
    private let shared: SharedCode?
    private let channel: ShareChannel?
    private let visitor: BrowserVisitor
    private let opened: Timestamp
    private let limits: CodeLimits

    /// The page.
    ///
    /// - Parameters:
    ///   - ways: The ways to sign in.
    ///   - shared: The code of the person whose link has led here; nil if there is none.
    ///   - channel: How that link was shared; nil if it does not say so.
    ///   - visitor: Who is in front of it.
    ///   - opened: When it was opened.
    ///   - limits: The limits of codes.
    package init(
        _ ways: SignInWays, _ shared: SharedCode?, by channel: ShareChannel? = nil, for visitor: BrowserVisitor,
        opened: Timestamp, limits: CodeLimits
    ) {
        (self.ways, self.shared, self.channel, self.visitor) = (ways, shared, channel, visitor)
        (self.opened, self.limits) = (opened, limits)
    }

    /// The page with the form for the email or the number.
    ///
    /// - Parameters:
    ///   - ticket: The ticket of the form.
    ///   - typed: What was typed before.
    ///   - notice: What has happened before.
    ///   - isUnknown: Whether nobody has the code with which the visitor comes.
    ///   - problem: What has happened instead of what the visitor wanted, if anything.
    ///   - error: What is wrong with what was typed, if anything.
    ///   - status: The status of the answer.
    /// - Returns: The page.
    package func page(
        _ ticket: PageTicket, typed: String = "", notice: Notice? = nil, isUnknown: Bool = false,
        problem: PageValue? = nil, error: PageValue? = nil, status: HTTPResponse.Status = .ok
    ) -> Page {
        var values: [String: PageValue] = [
            "ticket": .text(ticket.text), "email": .text(typed), "form": .flag(ways.hasCodes),
            "label": .phrase(ways.phone ? ways.email ? "signin.both" : "signin.phone" : "accept.email"),
            "type": .text(ways.phone ? ways.email ? "text" : "tel" : "email"),
            "complete": .text(ways.phone ? ways.email ? "username" : "tel" : "email"),
            "opened": .text(String(opened.milliseconds)), "device": .text(visitor.device),
            "noWay": .flag(!ways.hasCodes), "unknown": .flag(isUnknown),
        ]
        values["passkey"] = ways.passkeyDomain.map(PageValue.text)
        values["notice"] = notice.map { .phrase("signin.\($0.rawValue)") }
        values["problem"] = problem
        values["error"] = error
        values.merge(card) { $1 }
        var page = Page(.signIn, status, title: .phrase("signin.title"), values)
        if ways.passkeyDomain != nil { page.scripts = [.signIn] }
        return page
    }

    /// The page with the form for the code that was sent.
    ///
    /// - Parameters:
    ///   - identity: Where it was sent.
    ///   - isNumber: Whether that is a number, and not an email.
    ///   - ticket: The ticket with which it was requested.
    ///   - next: A new ticket, for another code.
    ///   - problem: Why no other code was sent, if one was requested.
    ///   - error: What is wrong with the code that was entered, if anything.
    /// - Returns: The page.
    package func codePage(
        _ identity: String, isNumber: Bool, _ ticket: PageTicket, next: PageTicket, problem: PageValue? = nil,
        error: PageValue? = nil
    ) -> Page {
        // A relative address, as the page does not know below which path a proxy serves it.
        let back = "sign-in" + (shared.map { ShareLink($0.code, channel: channel).query } ?? "")
        var page = CodePage.page(
            back: back, email: identity, isNumber: isNumber, hint: "signin.hint", ticket, next: next, limits: limits,
            problem: problem, error: error)
        page.values["button"] = .phrase("signin.button")
        page.values["share"] = shared.map { .text($0.code.text) }
        page.values["channel"] = channel.map { .text($0.rawValue) }
        return page
    }

    /// Whether there is a code that somebody has.
    package var hasCode: Bool { shared != nil }

    /// The page for somebody who is signed in and opens a link with a code: a button that uses the code.
    package func usePage(for browser: BrowserSession) -> Page {
        var values: [String: PageValue] = [
            "use": .flag(true), "proof": .text(browser.proof(AccountForm.Action.useCode.rawValue).text),
        ]
        values.merge(card) { $1 }
        return Page(.signIn, title: .phrase("signin.use"), values)
    }

    /// The code with which the visitor comes, and who has shared it.
    private var card: [String: PageValue] {
        guard let shared else { return [:] }
        let title = shared.programme.title
        var values: [String: PageValue] = [
            "share": .text(shared.code.text), "shared": .text(Programme.text(title, in: visitor.wanted)),
            "sharedLanguage": .text(Programme.language(of: title, in: visitor.wanted) ?? ""),
            "paused": .flag(shared.programme.isPaused),
        ]
        values["advocate"] = shared.advocate.map(PageValue.text)
        values["channel"] = channel.map { .text($0.rawValue) }
        return values
    }
}
