/// A list as its public link shows it: `GET /v1/public/{token}`.
public struct PublicList: Hashable, Sendable, Codable {
    /// One item of the list, without identities.
    public struct Item: Hashable, Sendable, Codable {
        /// The item's title.
        public var title: String
        /// The item's count.
        public var count: Int64
        /// Whether the item is done.
        public var ticked: Bool
        /// The heading under which the item is shown.
        public var category: String?
        /// The editors' comment about the item.
        public var comment: String?

        /// Creates an item with these properties.
        public init(title: String, count: Int64, ticked: Bool, category: String?, comment: String?) {
            self.title = title
            self.count = count
            self.ticked = ticked
            self.category = category
            self.comment = comment
        }
    }

    /// The list's name.
    public var name: String
    /// The time when the list or one of its items last changed, in the server's time.
    public var modified: Timestamp
    /// The items in the list's order. If the list is very long, only its oldest items.
    public var items: [Item]
    /// Whether the list has more items than these; nil if not.
    public var more: Bool?
    /// The server that has the list; nil from older servers.
    public var server: ServerID?

    /// Creates a public list with these properties.
    public init(name: String, modified: Timestamp, items: [Item], more: Bool? = nil, server: ServerID? = nil) {
        self.name = name
        self.modified = modified
        self.items = items
        self.more = more
        self.server = server
    }
}
