/// The offer of an invitation before it is accepted: `GET /v1/links/{token}`.
public struct LinkPreview: Hashable, Sendable, Codable {
    /// The list that the link leads to.
    public var list: ListID
    /// The list's name.
    public var name: String
    /// The role of people who accept it.
    public var role: Role
    /// Whether the list can be read with the link, without joining.
    public var isPublic: Bool
    /// The number of items in the list.
    public var items: Int
    /// The number of people in the list.
    public var members: Int
    /// The time when the link expires; nil if it is valid until it is revoked.
    public var expires: Timestamp?
    /// The server that has the list; nil from older servers.
    public var server: ServerID?

    /// Creates a preview with these properties.
    public init(
        list: ListID, name: String, role: Role, isPublic: Bool, items: Int, members: Int, expires: Timestamp?,
        server: ServerID? = nil
    ) {
        self.list = list
        self.name = name
        self.role = role
        self.isPublic = isPublic
        self.items = items
        self.members = members
        self.expires = expires
        self.server = server
    }
}
