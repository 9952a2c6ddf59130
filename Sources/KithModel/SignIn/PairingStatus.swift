/// The state of a pairing, for the device that made it: `GET /v1/pairings/{pairing}`.
public struct PairingStatus: Hashable, Sendable, Codable {
    /// The state of a pairing. Newer servers may have others.
    public struct State: RawRepresentable, Hashable, Sendable, Codable {
        /// The state in its encoded form.
        public let rawValue: String

        /// Creates a state from its name. This version need not know it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nobody has used it yet.
        public static let open = State(rawValue: "open")
        /// A device has signed in with it.
        public static let used = State(rawValue: "used")
        /// It has expired, and nobody has used it.
        public static let expired = State(rawValue: "expired")
    }

    /// The state.
    public var state: State
    /// When the pairing expires or has expired, in the server's time.
    public var expires: Timestamp
    /// The name of the device that has used it; nil if nobody has used it, or the device has no name.
    public var device: String?
    /// The session of the device that has used it; nil if nobody has used it, or the session was closed.
    public var session: SessionID?

    /// Creates a status with these properties.
    public init(state: State, expires: Timestamp, device: String? = nil, session: SessionID? = nil) {
        (self.state, self.expires, self.device, self.session) = (state, expires, device, session)
    }
}
