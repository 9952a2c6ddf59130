import KithModel

/// A message with the link of an invitation: delivered by the server, or sent by the inviter.
struct InvitationMessage {
    /// The number of the invitation.
    let number: Int
    /// The address or the number that it was sent to.
    let recipient: String
    /// The text with the link.
    let text: String

    /// The link in the text; nil if it has none.
    var link: String? { text.firstMatch(of: /https:\/\/\S+\/v1\/invitations\/[\w-]+/).map { String($0.0) } }
}
