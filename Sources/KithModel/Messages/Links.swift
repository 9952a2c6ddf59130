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

/// The identity of a link.
public typealias LinkID = RecordID<ListLink>
