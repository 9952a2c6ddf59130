/// A passkey of an account, as its owner sees it: an entry of `GET /v1/passkeys`.
public struct Passkey: Hashable, Sendable, Codable, Identifiable {
    /// The identity of the passkey. It is not a secret.
    public var id: PasskeyID
    /// The name that the user has given it; nil if there is none.
    public var name: String?
    /// When it was added, in the server's time.
    public var created: Timestamp
    /// When it was last used to sign in; nil if it never was.
    public var used: Timestamp?
    /// Whether it is stored on more than one device, such as in a password manager that syncs.
    public var isSynced: Bool

    /// Creates an entry with these properties.
    public init(id: PasskeyID, name: String?, created: Timestamp, used: Timestamp? = nil, isSynced: Bool) {
        (self.id, self.name, self.created, self.used, self.isSynced) = (id, name, created, used, isSynced)
    }
}

/// The identity of a passkey.
public typealias PasskeyID = RecordID<Passkey>
