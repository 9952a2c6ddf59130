import KithAddressBook
import KithModel

/// A recipient as the user has typed it: an email address or a mobile number.
struct TypedRecipient: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// The recipient of either kind.
    func identity(in book: AddressBook) throws -> Identity { try text.contains("@") ? email() : mobile(in: book) }

    /// The email address.
    func email() throws -> Identity {
        guard let address = EmailAddress(text) else {
            throw Failure(.usage, "invalid", "“\(text)” is not an email address.")
        }
        return .email(address)
    }

    /// The mobile number, as dialled in `region`; nil for the address book's region.
    func mobile(in book: AddressBook, dialledIn region: Region? = nil) throws -> Identity {
        // Letters would count as digits, as on a keypad, and the message could go to a stranger.
        if text.contains(where: \.isLetter) {
            throw Failure(.usage, "invalid", "“\(text)” has letters, so it is not a mobile number.")
        }
        let number = book.phoneNumber(text, in: region)
        if number.kind == .short {
            throw Failure(
                .usage, "invalid", "“\(text)” is a short number, which belongs to a service. Write a mobile number.")
        }
        guard let e164 = number.e164 else {
            throw Failure(
                .usage, "invalid",
                "“\(text)” is not a complete number. Write it with its country code, or use --region.")
        }
        guard [.mobile, .fixedLineOrMobile, .unknown].contains(number.kind) else {
            throw Failure(.usage, "invalid", "“\(text)” is not a mobile number, so it cannot receive SMS.")
        }
        return .phone(e164)
    }
}
