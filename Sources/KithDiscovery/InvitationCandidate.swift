public import Kith
public import KithAddressBook
public import KithModel

/// A contact of the address book who can be invited: not on the service, with an email address or a mobile number.
public struct InvitationCandidate: Sendable {
    /// The contact.
    public let contact: Contact
    /// The contact's email addresses, then the mobile numbers, each in the contact's order. There is at least one.
    public let recipients: [Identity]

    /// A candidate; nil if the contact is on the service, or nothing of it can be invited.
    init?(_ contact: Contact, kind: (E164) -> PhoneNumber.Kind) {
        guard !contact.isOnService else { return nil }
        let emails = contact.emails.compactMap { $0.address.map(Identity.email) }
        // An SMS reaches no landline. In some countries, a number does not tell whether it is mobile.
        let numbers = contact.phones.compactMap(\.number).filter { [.mobile, .fixedLineOrMobile].contains(kind($0)) }
        let recipients = emails + numbers.map(Identity.phone)
        guard !recipients.isEmpty else { return nil }
        (self.contact, self.recipients) = (contact, recipients)
    }
}

extension Discovery {
    /// The contacts of the address book who can be invited, in the address book's order.
    ///
    /// Who is on the service is known from the last look: see ``lookAgain(_:)``. Landlines, short codes and numbers of
    /// an unknown kind are left out. The kind of a number comes from the `PhoneNumberParser`; without one, no number is
    /// a candidate.
    ///
    /// - Throws: The error of the address book if it cannot be read.
    public func candidates() async throws -> [InvitationCandidate] {
        try await addressBook.loaded().compactMap { candidate($0) }
    }

    /// What of a contact can be invited; nil if nothing can, or the contact is on the service.
    public func candidate(_ contact: Contact) -> InvitationCandidate? {
        InvitationCandidate(contact) { addressBook.phoneNumber($0.text).kind }
    }
}

extension Invitations {
    /// Invites a contact of the address book by one of the candidate's recipients, which the user chooses.
    ///
    /// - Returns: The invitation. It has the contact's name, which only I see.
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
            recipient, to: purpose, text: text, name: String(name.unicodeScalars.prefix(200)), language: language)
    }
}
