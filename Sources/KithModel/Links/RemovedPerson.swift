/// A person that a list's owner has removed. They cannot join with an invitation link until the owner allows it.
public struct RemovedPerson: Hashable, Sendable, Codable {
    /// The person's account.
    public var account: AccountID
    /// The person's name in the list; nil if they had none.
    public var name: String?
    /// The time of the removal, in the server's time.
    public var removed: Timestamp

    /// Creates a person with these properties.
    public init(account: AccountID, name: String?, removed: Timestamp) {
        self.account = account
        self.name = name
        self.removed = removed
    }
}
