public import KithModel

/// An invitation for the app's own mail or message sheet.
///
/// The link works after the invitation was synced. After the sheet closes, the app calls
/// ``Invitations/report(_:wasSent:)``.
public struct ComposedInvitation: Hashable, Sendable {
    /// The invitation. It stays pending until the app reports whether it was sent.
    public let invitation: Invitation
    /// The subject of a mail, which the user can edit. A message to a number has none.
    public let subject: String
    /// The text with the link, which the user can edit.
    public let text: String
    /// The link alone.
    public let link: String

    /// The address or the number for the sheet: `ben@example.com`, `+436641234567`.
    public var recipient: String { invitation.recipient?.shown ?? "" }
}
