/// An account book on the server: one address-book collection of an account (RFC 6352, section 5.2).
struct RemoteBook: Hashable, Sendable {
    let path: String
    /// The token that the server returns while nothing changes: the sync token, else the collection's tag.
    let token: String?
    /// Whether the server can list the changes since a token (RFC 6578).
    let syncs: Bool
}
