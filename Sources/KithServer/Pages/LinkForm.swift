/// The form that somebody has sent from the page of a link.
package enum LinkForm: Hashable, Sendable {
    /// The form that requests a code for an email. `sent` is the ticket of the code that was sent before, if it asks for
    /// another one.
    case email(String, PageTicket, sent: PageTicket?)
    /// The form with the code. The email is only for showing it again: the server has stored to which email the code went.
    case code(String, email: String, PageTicket)

    /// Reads a form; nil if a field is missing, or the ticket is not one of a page.
    package init?(_ fields: FormFields) {
        guard let email = fields["email"], email.utf8.count <= 500, let ticket = PageTicket(fields["ticket"] ?? "")
        else { return nil }
        guard let code = fields["code"] else {
            self = .email(email, ticket, sent: fields["sent"].flatMap { PageTicket($0) })
            return
        }
        self = .code(Self.digits(of: code), email: email, ticket)
    }

    /// The digits of a code that was typed. People copy spaces and dashes with it, and keyboards of some languages have their
    /// own digits.
    static func digits(of code: String) -> String {
        code.prefix(50).compactMap(\.wholeNumberValue).map { String($0) }.joined()
    }
}
