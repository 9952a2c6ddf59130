import Foundation
package import KithModel

/// The name and address of a message's sender, as the header `From` shows it (RFC 5322, section 3.4).
package struct MailAddress: Hashable, Sendable {
    /// The name that is shown; empty if there is none.
    package let name: String
    package let address: EmailAddress

    /// Reads `Kith <kith@example.com>` or an address alone; nil if the address is not valid, or not in ASCII.
    package init?(_ written: String) {
        guard let address = EmailAddress(written), address.text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let before = written.contains("<") ? written.prefix { $0 != "<" } : ""
        self.address = address
        name = PlainLine.text(before.trimmingCharacters(in: CharacterSet(charactersIn: " \"")))
    }

    /// An address whose owner has this name, which may have any characters.
    init(name: String, _ address: EmailAddress) { (self.name, self.address) = (PlainLine.text(name), address) }

    /// The domain, in which message ids are made.
    package var domain: String { String(address.text.split(separator: "@").last ?? "localhost") }

    /// The header field's body, folded.
    func header(after width: Int) -> String {
        if name.isEmpty { return address.mailbox }
        return "\(HeaderText.phrase(name, after: width)) <\(address.mailbox)>"
    }
}
