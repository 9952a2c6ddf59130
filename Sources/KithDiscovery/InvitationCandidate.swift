public import Kith
public import KithAddressBook
public import KithModel

/// A contact of the address book who can be invited: not on the service, with an email address or a mobile number.
public struct InvitationCandidate: Sendable {
    /// The contact.
    public let contact: Contact
    /// The contact's email addresses, then the mobile numbers, each in the contact's order. There is at least one.
    public let recipients: [Identity]

    /// Creates a candidate; nil if the contact is on the service, or has neither an email address nor a mobile number.
    init?(_ contact: Contact, kind: (E164) -> PhoneNumber.Kind) {
        guard !contact.isOnService else { return nil }
        let emails = contact.emails.compactMap { $0.address.map(Identity.email) }
        // Landlines cannot receive SMS. In some countries, mobile and landline numbers look alike.
        let numbers = contact.phones.compactMap(\.number).filter { [.mobile, .fixedLineOrMobile].contains(kind($0)) }
        // A number can have several extensions, which an SMS does not reach.
        var seen: Set<Identity> = []
        let recipients = (emails + numbers.map(Identity.phone)).filter { seen.insert($0).inserted }
        guard !recipients.isEmpty else { return nil }
        (self.contact, self.recipients) = (contact, recipients)
    }
}

extension Discovery {
    /// The contacts of the address book who can be invited, in the address book's order.
    ///
    /// The last lookup determines which contacts are on the service: see ``look(connecting:_:)``. Landlines, short codes and
    /// numbers of unknown kind are left out. The `PhoneNumberParser` determines the kind of a number; without a parser, only
    /// email addresses are offered.
    ///
    /// - Throws: The error of the address book if it cannot be read.
    public func candidates() async throws -> [InvitationCandidate] {
        try await addressBook.loaded().compactMap { candidate($0) }
    }

    /// The contact as a candidate; nil if it is on the service, or has neither an email address nor a mobile number.
    public func candidate(_ contact: Contact) -> InvitationCandidate? {
        InvitationCandidate(contact) { addressBook.phoneNumber($0.text).kind }
    }
}

extension Invitations {
    /// Invites a contact of the address book.
    ///
    /// - Parameters:
    ///   - candidate: The contact.
    ///   - recipient: One of the candidate's recipients. If there are several, the user chooses.
    ///   - purpose: What the recipient is invited to.
    ///   - text: The text as the user has edited it; nil for none.
    ///   - language: The language of the message; nil for the one that the contact prefers (`Contact.preferredLanguage`),
    ///     or else that of my profile.
    /// - Returns: The invitation. It contains the contact's name, which only I see.
    /// - Throws: `KithError` as `Invitations.invite(_:to:text:name:language:)`, and `invalid` if the recipient is not
    ///   one of the candidate's.
    @discardableResult
    public func invite(
        _ candidate: InvitationCandidate, at recipient: Identity, to purpose: Invitation.Purpose = .connect,
        text: String? = nil, language: String? = nil
    ) async throws -> Invitation {
        let name = candidate.contact.displayName
        guard candidate.recipients.contains(recipient) else {
            throw KithError(.invalid, "\(name) cannot be invited by \(recipient.shown).", field: "recipient")
        }
        return try await invite(
            recipient, to: purpose, text: text, name: String(name.unicodeScalars.prefix(200)),
            language: language ?? candidate.contact.preferredLanguage)
    }
}
