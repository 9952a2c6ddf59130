import KithModel

/// The identities that an account has proved since a background job last looked: the table `identity_news`.
///
/// ``IdentityRegister`` adds them, so that no way to prove an identity can forget it.
enum IdentityNews {
    /// Stores that an identity has a new account.
    static func add(_ identity: Identity, in transaction: any Transaction) throws {
        try transaction.insert(into: "identity_news", ["value"], [[.text(identity.text)]], replacing: ["value"])
    }

    /// Whether there are any.
    static func isWaiting(in transaction: any Transaction) throws -> Bool {
        try transaction.exists("SELECT value FROM identity_news LIMIT 1")
    }

    /// Takes up to `step` of them, as texts.
    static func take(_ step: Int64, in transaction: any Transaction) throws -> [String] {
        let lock = transaction.dialect.locking("identity_news")
        let rows = try transaction.query(
            "SELECT value FROM identity_news ORDER BY value LIMIT ?\(lock)", [.integer(step)])
        try transaction.delete(from: "identity_news", ["value"], rows.map(\.values))
        return try rows.map { try $0.text(0) }
    }
}

extension Signals.Topic {
    /// Identities that an account has proved: see ``IdentityNews`` and ``SignUps``.
    package static let identities = Self("identities")
}
