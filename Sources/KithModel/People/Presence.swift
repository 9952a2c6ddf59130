/// A person's current availability. It is sent over the live stream, and never stored in a feed.
public struct Presence: Hashable, Sendable, Codable {
    /// The degrees of availability.
    public enum State: String, CaseIterable, Hashable, Sendable, Codable, ChoiceCodable {
        /// The person has the app open.
        case online
        /// The person has the app open but is not there.
        case away
        /// The person does not want to be disturbed.
        case busy
        /// The person does not have the app open. Someone who is invisible or has blocked me looks the same.
        case offline
        /// The person is online but is shown as ``offline``. Only used for my own state.
        case invisible
    }

    /// The person's availability.
    public var state: State
    /// The time when they were last seen, in the server's time; nil if they hide it or are online.
    public var lastSeen: Timestamp?

    /// Creates a presence with these properties.
    public init(_ state: State, lastSeen: Timestamp? = nil) {
        self.state = state
        self.lastSeen = lastSeen
    }
}
