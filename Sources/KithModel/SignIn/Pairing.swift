/// A way for another device to sign in to this session's account: the answer of `POST /v1/pairings`.
///
/// The device shows ``link`` as a QR code. Whoever reads it first within ten minutes gets a session of the account, so
/// show it only to the user. A pairing ends when it is used, when it expires, and when the session that made it is closed.
public struct Pairing: Hashable, Sendable, Codable, Identifiable {
    /// The id of the pairing. It is not a secret, and nobody can sign in with it.
    public var id: PairingID
    /// The link for the other device, with the token in its fragment, which browsers do not send.
    public var link: String
    /// When the pairing expires, in the server's time.
    public var expires: Timestamp

    /// Creates a pairing with these properties.
    public init(id: PairingID, link: String, expires: Timestamp) {
        (self.id, self.link, self.expires) = (id, link, expires)
    }
}

/// The identity of a pairing.
public typealias PairingID = RecordID<Pairing>
