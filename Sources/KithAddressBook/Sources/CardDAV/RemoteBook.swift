/// An account book as the server has it: one address-book collection of an account (RFC 6352, section 5.2).
struct RemoteBook: Hashable, Sendable {
    let path: String
    let name: String
    /// What the server says of it while nothing changes: the sync token, else the collection's tag.
    let token: String?
    /// Whether the server tells what has changed since a token (RFC 6578).
    let syncs: Bool
}
