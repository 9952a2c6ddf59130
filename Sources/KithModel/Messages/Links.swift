/// A request for a new invitation link: `POST /v1/lists/{list}/links`.
package struct LinkRequest: Hashable, Sendable, Codable {
    /// The role of those who accept it: `viewer` or `editor`. Ignored for a public link.
    package var role: Role
    /// The seconds until it expires, at most a year; nil for the server's usual 14 days. A public link without it is
    /// valid until it is revoked.
    package var expiresIn: Int64?
    /// Whether anyone with the link may read the list without joining.
    package var isPublic: Bool?

    /// Creates a request with these properties.
    package init(role: Role, expiresIn: Int64? = nil, isPublic: Bool? = nil) {
        self.role = role
        self.expiresIn = expiresIn
        self.isPublic = isPublic
    }
}

/// A link to a list, in the form for the list's owner.
public struct ListLink: Hashable, Sendable, Codable {
    /// The link's identity, which is needed to revoke it.
    public var id: LinkID
    /// The list that it leads to.
    public var list: ListID
    /// The role of those who accept it.
    public var role: Role
    /// Whether anyone with the link may read the list without joining.
    public var isPublic: Bool
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
        id: LinkID, list: ListID, role: Role, isPublic: Bool, created: Timestamp, expires: Timestamp?, accepted: Int,
        token: String? = nil, url: String? = nil, server: ServerID? = nil
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
        self.server = server
    }
}

/// All live links of a list: `GET /v1/lists/{list}/links`.
package struct ListLinks: Hashable, Sendable, Codable {
    /// The links that are neither expired nor revoked, oldest first.
    package var links: [ListLink]

    /// Creates an answer with these links.
    package init(links: [ListLink]) {
        self.links = links
    }
}

/// The offer of an invitation before it is accepted: `GET /v1/links/{token}`.
public struct LinkPreview: Hashable, Sendable, Codable {
    /// The list that the link leads to.
    public var list: ListID
    /// The list's name.
    public var name: String
    /// The role of those who accept it.
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

/// The result of accepting an invitation: `POST /v1/links/{token}/accept`.
package struct LinkAcceptance: Hashable, Sendable, Codable {
    /// The list that the account is now in.
    package var list: ListID
    /// The role that the account now has; never lower than its former role.
    package var role: Role

    /// Creates an acceptance with these properties.
    package init(list: ListID, role: Role) {
        self.list = list
        self.role = role
    }
}

/// A person whom a list's owner has removed. They cannot join with an invitation link until the owner allows it.
public struct RemovedPerson: Hashable, Sendable, Codable {
    /// The person's account.
    public var account: AccountID
    /// The person's name in the list; nil if they had none.
    public var name: String?
    /// The time of the removal, in the server's time.
    public var removed: Timestamp

    /// Creates a person with these properties.
    public init(account: AccountID, name: String?, removed: Timestamp) {
        self.account = account
        self.name = name
        self.removed = removed
    }
}

/// All people whom a list's owner has removed: `GET /v1/lists/{list}/removed`.
package struct RemovedPeople: Hashable, Sendable, Codable {
    /// The people who are still kept out, the last removed first.
    package var people: [RemovedPerson]

    /// Creates an answer with these people.
    package init(people: [RemovedPerson]) {
        self.people = people
    }
}

/// A list in the form for its public link: `GET /v1/public/{token}`.
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
    /// The items in the list's order. For a very long list, only the oldest ones.
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
