/// The content of an invitation, for anyone with its link: `GET /v1/invitations/{token}`.
///
/// It does not contain the recipient, because a link can be forwarded.
public struct InvitationPreview: Hashable, Sendable, Codable {
    /// The name that the inviter shows to everyone; nil if there is none.
    public var inviter: String?
    /// The name of the list; nil if the invitation is not to a list.
    public var list: String?
    /// The role in the list; nil if the invitation is not to a list.
    public var role: Role?
    /// Whether accepting connects the inviter and the person who accepts.
    public var connects: Bool
    /// The inviter's text; nil if there is none.
    public var text: String?
    /// When the invitation expires, in the server's time.
    public var expires: Timestamp
    /// The server that has the invitation.
    public var server: ServerID?

    /// Creates a preview with these properties.
    public init(
        inviter: String?, list: String? = nil, role: Role? = nil, connects: Bool, text: String? = nil,
        expires: Timestamp, server: ServerID? = nil
    ) {
        (self.inviter, self.list, self.role, self.connects) = (inviter, list, role, connects)
        (self.text, self.expires, self.server) = (text, expires, server)
    }
}
