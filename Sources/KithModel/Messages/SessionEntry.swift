/// One session of an account, as its owner sees it: an entry of `GET /v1/sessions`.
public struct SessionEntry: Hashable, Sendable, Codable, Identifiable {
    /// The identity of the session. It is not a secret: it opens nothing.
    public var id: SessionID
    /// The name of the device; nil if it gave none.
    public var device: String?
    /// The beginning of the session, in the server's time.
    public var created: Timestamp
    /// Whether this is the session that asks.
    public var isCurrent: Bool

    /// Creates an entry with these properties.
    public init(id: SessionID, device: String?, created: Timestamp, isCurrent: Bool) {
        (self.id, self.device, self.created, self.isCurrent) = (id, device, created, isCurrent)
    }
}

/// The identity of a session.
public typealias SessionID = RecordID<SessionEntry>
