/// What an invitation link is to be: `POST /v1/lists/{list}/links`.
package struct LinkRequest: Hashable, Sendable, Codable {
    /// The role of those who accept it: `viewer` or `editor`. Ignored for a public link.
    package var role: Role
    /// Seconds until it expires, at most a year; nil for the server's usual 14 days.
    /// A public link without it stays until it is revoked.
    package var expiresIn: Int64?
    /// Whether anyone who has the link may read the list, without joining.
    package var isPublic: Bool?

    /// A request with these properties.
    package init(role: Role, expiresIn: Int64? = nil, isPublic: Bool? = nil) {
        self.role = role
        self.expiresIn = expiresIn
        self.isPublic = isPublic
    }
}

/// A link to a list, as its owner sees it.
public struct ListLink: Hashable, Sendable, Codable {
    /// The link's identity, by which it is revoked.
    public var id: LinkID
    /// The list that it leads to.
    public var list: ListID
    /// The role of those who accept it.
    public var role: Role
    /// Whether anyone who has the link may read the list, without joining.
    public var isPublic: Bool
    /// When it was made, in the server's time.
    public var created: Timestamp
    /// When it stops working; nil if it stays until it is revoked.
    public var expires: Timestamp?
    /// How often somebody joined by it. Someone who left and joined again counts twice.
    public var accepted: Int
    /// The secret in the link; only in the answer that created it, for the server keeps its hash.
    public var token: String?
    /// The whole link, as one can send it; with `token`.
    public var url: String?
    /// The server that has the list; nil from older servers.
    public var server: ServerID?

    /// A link with these properties.
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

/// Every live link of a list: `GET /v1/lists/{list}/links`.
package struct ListLinks: Hashable, Sendable, Codable {
    /// The links that are neither expired nor revoked, oldest first.
    package var links: [ListLink]

    /// An answer with these links.
    package init(links: [ListLink]) {
        self.links = links
    }
}

/// What an invitation offers, before one accepts it: `GET /v1/links/{token}`.
public struct LinkPreview: Hashable, Sendable, Codable {
    /// The list that the link leads to.
    public var list: ListID
    /// The list's name.
    public var name: String
    /// The role of those who accept it.
    public var role: Role
    /// Whether the list can be read with it, without joining.
    public var isPublic: Bool
    /// How many items the list has.
    public var items: Int
    /// How many people are in the list.
    public var members: Int
    /// When the link stops working; nil if it stays until it is revoked.
    public var expires: Timestamp?
    /// The server that has the list; nil from older servers.
    public var server: ServerID?

    /// A preview with these properties.
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

/// What came of accepting an invitation: `POST /v1/links/{token}/accept`.
package struct LinkAcceptance: Hashable, Sendable, Codable {
    /// The list that the account is now in.
    package var list: ListID
    /// The role that the account now has; never less than it had before.
    package var role: Role

    /// An acceptance with these properties.
    package init(list: ListID, role: Role) {
        self.list = list
        self.role = role
    }
}

/// Someone that a list's owner has removed. No invitation link lets them in until the owner does.
public struct RemovedPerson: Hashable, Sendable, Codable {
    /// Who it is.
    public var account: AccountID
    /// The name that they had in the list; nil if they had none.
    public var name: String?
    /// When they were removed, in the server's time.
    public var removed: Timestamp

    /// A person with these properties.
    public init(account: AccountID, name: String?, removed: Timestamp) {
        self.account = account
        self.name = name
        self.removed = removed
    }
}

/// Everyone that a list's owner has removed: `GET /v1/lists/{list}/removed`.
package struct RemovedPeople: Hashable, Sendable, Codable {
    /// Those who have not been let in again, the last removed first.
    package var people: [RemovedPerson]

    /// An answer with these people.
    package init(people: [RemovedPerson]) {
        self.people = people
    }
}

/// A list as anyone with its public link reads it: `GET /v1/public/{token}`.
public struct PublicList: Hashable, Sendable, Codable {
    /// One item of the list, without identities.
    public struct Item: Hashable, Sendable, Codable {
        /// What the item says.
        public var title: String
        /// How many.
        public var count: Int64
        /// Whether the item is done.
        public var ticked: Bool
        /// The heading that it is shown under.
        public var category: String?
        /// What its editors have noted about it.
        public var comment: String?

        /// An item with these properties.
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
    /// When the list or one of its items last changed, in the server's time.
    public var modified: Timestamp
    /// In the list's order. Of a very long list, those made first.
    public var items: [Item]
    /// Whether the list has more items than are shown; nil where it has not.
    public var more: Bool?
    /// The server that has the list; nil from older servers.
    public var server: ServerID?

    /// A public list with these properties.
    public init(name: String, modified: Timestamp, items: [Item], more: Bool? = nil, server: ServerID? = nil) {
        self.name = name
        self.modified = modified
        self.items = items
        self.more = more
        self.server = server
    }
}
