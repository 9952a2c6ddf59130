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

/// All live links of a list: `GET /v1/lists/{list}/links`.
package struct ListLinks: Hashable, Sendable, Codable {
    /// The links that are neither expired nor revoked, oldest first.
    package var links: [ListLink]

    /// Creates an answer with these links.
    package init(links: [ListLink]) {
        self.links = links
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

/// All people whom a list's owner has removed: `GET /v1/lists/{list}/removed`.
package struct RemovedPeople: Hashable, Sendable, Codable {
    /// The people who are still kept out, the last removed first.
    package var people: [RemovedPerson]

    /// Creates an answer with these people.
    package init(people: [RemovedPerson]) {
        self.people = people
    }
}

/// The identity of a link.
public typealias LinkID = RecordID<ListLink>
