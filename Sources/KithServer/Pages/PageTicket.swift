import Foundation
import KithModel

/// The secret that a page carries from one form to the next, in place of a cookie: 256 random bits.
///
/// A code is bound to the ticket of the page that asked for it, as it is bound to a session otherwise. A form that is
/// sent again has the same ticket, and does not send a second code.
package struct PageTicket: Hashable, Sendable {
    /// The ticket as forms carry it, in Base64url.
    package let text: String

    /// A new ticket of these random bytes.
    package init(_ random: RandomBytes = .system) { text = random.bytes().base64URL }

    /// Reads the ticket of a form; nil if it is not one.
    package init?(_ text: String) {
        guard let bytes = Data(base64URL: text), bytes.count == Secret.size else { return nil }
        self.text = text
    }

    /// The ticket of a code that a browser has requested and whose page is lost: the id of the code. It is no secret, so it is
    /// only for codes that are bound to a cookie.
    init(of code: CodeID) { text = code.description }

    /// Reads the ticket of a code that is bound to a cookie: that of its page, or the id of the code.
    init?(sent text: String) {
        if let code = CodeID(text) { self.init(of: code) } else { self.init(text) }
    }

    /// The id of the code that was requested with this ticket.
    var code: CodeID {
        // A hash of 32 bytes has 16.
        CodeID(text) ?? CodeID(UUID(bytes: Secret.sha256("page code \(text)").prefix(16))!)
    }
}
