/// What an invitation link is to be: `POST /v1/lists/{list}/links`.
public struct LinkRequest: Hashable, Sendable, Codable {
    /// The role of those who accept it: `viewer` or `editor`. Ignored for a public link.
    public var role: Role
    /// Seconds until it expires, at most a year; nil for the server's usual 14 days.
    /// A public link without it stays until it is revoked.
    public var expiresIn: Int64?
    /// Whether anyone who has the link may read the list, without joining.
    public var isPublic: Bool?

    public init(role: Role, expiresIn: Int64? = nil, isPublic: Bool? = nil) {
        self.role = role
        self.expiresIn = expiresIn
        self.isPublic = isPublic
    }
}

/// A link to a list, as its owner sees it.
public struct ListLink: Hashable, Sendable, Codable {
    public var id: LinkID
    public var list: ListID
    public var role: Role
    public var isPublic: Bool
    public var created: Timestamp
    public var expires: Timestamp?
    /// How many people have joined by it.
    public var accepted: Int
    /// The secret in the link; only in the answer that created it, for the server keeps its hash.
    public var token: String?
    /// The whole link, as one can send it; with `token`.
    public var url: String?

    public init(
        id: LinkID, list: ListID, role: Role, isPublic: Bool, created: Timestamp, expires: Timestamp?, accepted: Int,
        token: String? = nil, url: String? = nil
    ) {
        self.id = id
        self.list = list
        self.role = role
        self.isPublic = isPublic
        self.created = created
        self.expires = expires
        self.accepted = accepted
        self.token = token
        self.url = url
    }
}

/// Every live link of a list: `GET /v1/lists/{list}/links`.
public struct ListLinks: Hashable, Sendable, Codable {
    public var links: [ListLink]

    public init(links: [ListLink]) {
        self.links = links
    }
}

/// What an invitation offers, before one accepts it: `GET /v1/links/{token}`.
public struct LinkPreview: Hashable, Sendable, Codable {
    public var list: ListID
    public var name: String
    public var role: Role
    public var isPublic: Bool
    public var items: Int
    public var members: Int
    public var expires: Timestamp?

    public init(
        list: ListID, name: String, role: Role, isPublic: Bool, items: Int, members: Int, expires: Timestamp?
    ) {
        self.list = list
        self.name = name
        self.role = role
        self.isPublic = isPublic
        self.items = items
        self.members = members
        self.expires = expires
    }
}

/// What came of accepting an invitation: `POST /v1/links/{token}/accept`.
public struct LinkAcceptance: Hashable, Sendable, Codable {
    public var list: ListID
    /// The role that the account now has; never less than it had before.
    public var role: Role

    public init(list: ListID, role: Role) {
        self.list = list
        self.role = role
    }
}

/// A list as anyone with its public link reads it: `GET /v1/public/{token}`.
public struct PublicList: Hashable, Sendable, Codable {
    public struct Item: Hashable, Sendable, Codable {
        public var title: String
        public var count: Int64
        public var ticked: Bool
        public var category: String?
        public var comment: String?

        public init(title: String, count: Int64, ticked: Bool, category: String?, comment: String?) {
            self.title = title
            self.count = count
            self.ticked = ticked
            self.category = category
            self.comment = comment
        }
    }

    public var name: String
    public var modified: Timestamp
    /// In the list's order.
    public var items: [Item]

    public init(name: String, modified: Timestamp, items: [Item]) {
        self.name = name
        self.modified = modified
        self.items = items
    }
}
