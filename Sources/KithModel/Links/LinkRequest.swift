/// A request for a new invitation link: `POST /v1/lists/{list}/links`.
package struct LinkRequest: Hashable, Sendable, Codable {
    /// The role of people who accept it: `viewer` or `editor`. Ignored for a public link.
    package var role: Role
    /// The seconds until it expires, at most a year. nil means the default of 14 days for an invitation, and validity
    /// until revocation for a public link.
    package var expiresIn: Int64?
    /// Whether anyone with the link may read the list without joining.
    package var isPublic: Bool?
    /// Whether anyone with the public link may tick items. On a wish list, a tick says “I give this”, and nobody in the
    /// list sees it.
    package var canTick: Bool?

    /// Creates a request with these properties.
    package init(role: Role, expiresIn: Int64? = nil, isPublic: Bool? = nil, canTick: Bool? = nil) {
        self.role = role
        self.expiresIn = expiresIn
        self.isPublic = isPublic
        self.canTick = canTick
    }
}

/// The identity of a link.
public typealias LinkID = RecordID<ListLink>
