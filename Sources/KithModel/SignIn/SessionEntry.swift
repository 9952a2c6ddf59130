/// One session of an account, as its owner sees it: an entry of `GET /v1/sessions`.
public struct SessionEntry: Hashable, Sendable, Codable, Identifiable {
    /// The identity of the session. It is not a secret: it opens nothing.
    public var id: SessionID
    /// The name of the device; nil if it gave none.
    public var device: String?
    /// The beginning of the session, in the server's time.
    public var created: Timestamp
    /// When the session was last used, rounded down to the hour; nil if it is not known, and from older servers.
    public var lastUsed: Timestamp?
    /// Whether this is the session that asks.
    public var isCurrent: Bool

    /// Creates an entry with these properties.
    public init(id: SessionID, device: String?, created: Timestamp, lastUsed: Timestamp? = nil, isCurrent: Bool) {
        (self.id, self.device, self.created) = (id, device, created)
        (self.lastUsed, self.isCurrent) = (lastUsed, isCurrent)
    }
}

/// The identity of a session.
public typealias SessionID = RecordID<SessionEntry>
