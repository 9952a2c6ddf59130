package import KithModel

/// The form that somebody has sent from the page on which they sign in: an email or a number, and then the code.
package struct BrowserSignInForm: Hashable, Sendable {
    /// The email or the number as it was typed.
    package let typed: String
    /// The ticket of the page, which names the request for the code. With the code, it may be the id of that request.
    package let ticket: PageTicket
    /// The ticket of the code that was sent before, if the form asks for another one.
    package let sent: PageTicket?
    /// The digits of the code; nil in the first form.
    package let code: String?
    /// The code of the person whose link has led here, and its channel; nil if there is none.
    package let share: ShareLink?
    /// When the page was opened, as the page has it; nil if there is no `share`. As for the app, it is the time at which the code
    /// was used, so that people do not seem to sign up in no time.
    private let opened: Timestamp?

    /// Reads a form; nil if a field is missing, or the ticket is not one of a page.
    package init?(_ fields: FormFields) {
        code = fields["code"].map { LinkForm.digits(of: $0) }
        let named = fields["ticket"] ?? ""
        guard let typed = fields["email"], typed.utf8.count <= 500,
            let ticket = code == nil ? PageTicket(named) : PageTicket(sent: named)
        else { return nil }
        (self.typed, self.ticket) = (typed, ticket)
        sent = fields["sent"].flatMap { PageTicket(sent: $0) }
        share = ShareLink(fields)
        opened = fields["opened"].flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
    }

    /// When the page was opened: at most a day ago.
    package func opened(at now: Timestamp) -> Timestamp { min(now, max(opened ?? now, now - .days(1))) }

    /// What was typed, in canonical form; nil if it is neither a complete email nor a number with its country code.
    package var identity: Identity? {
        if let address = EmailAddress(typed) { return .email(address) }
        let number = typed.filter { !" -–()./\u{A0}".contains($0) }
        return E164(number.hasPrefix("00") ? "+\(number.dropFirst(2))" : number).map(Identity.phone)
    }
}
