/// A link to a list, as the list's owner receives it.
public struct ListLink: Hashable, Sendable, Codable {
    /// The link's identity, which is needed to revoke it.
    public var id: LinkID
    /// The list that it leads to.
    public var list: ListID
    /// The role of people who accept it.
    public var role: Role
    /// Whether anyone with the link may read the list without joining.
    public var isPublic: Bool
    /// Whether anyone with the public link may tick items: see ``SharedList/isWishList``. nil if they may not.
    public var canTick: Bool?
    /// The time of its creation, in the server's time.
    public var created: Timestamp
    /// The time when it expires; nil if it is valid until it is revoked.
    public var expires: Timestamp?
    /// The number of times that someone joined with it. Someone who left and joined again counts twice.
    public var accepted: Int
    /// The secret in the link. Only the answer that created the link has it, because the server stores only its hash.
    public var token: String?
    /// The complete link for sharing; only present with `token`.
    public var url: String?
    /// The server that has the list; nil from older servers.
    public var server: ServerID?

    /// Creates a link with these properties.
    public init(
        id: LinkID, list: ListID, role: Role, isPublic: Bool, canTick: Bool? = nil, created: Timestamp,
        expires: Timestamp?, accepted: Int, token: String? = nil, url: String? = nil, server: ServerID? = nil
    ) {
        self.id = id
        self.list = list
        self.role = role
        self.isPublic = isPublic
        self.canTick = canTick
        self.created = created
        self.expires = expires
        self.accepted = accepted
        self.token = token
        self.url = url
        self.server = server
    }
}
