import GRDB
public import Foundation
public import KithModel

/// One store on this device, as a value: whose it is, how much is in it, and whether it can still be sent.
///
/// Each account of the device has a store, and so has what was made without an account. The current store is what
/// ``KithClient/lists`` shows; the others are read, exported and moved all the same: see ``Accounts``.
public struct StoredAccount: Sendable, Hashable, Identifiable {
    /// Whose store it is.
    public let scope: AccountScope
    /// The server that the account belongs to; nil if it is not known, or if the server has no id.
    public let server: ServerID?
    /// Where that server was last reached.
    public let address: URL?
    /// The account's own name, as its profile has it.
    public let name: String?
    /// How many lists are in the store.
    public let lists: Int
    /// How many people the account has to do with in its network.
    public let people: Int
    /// How many edits were not sent.
    public let waiting: Int
    /// When the oldest of them was made.
    public let oldestWaiting: Date?
    /// Rejections that were not dismissed.
    public let rejections: Int
    /// How the account stands with its server.
    public let state: SessionState
    /// Whether this is the store that a client shows when it is made without an account of its own.
    public let isCurrent: Bool
    /// When the last removal was made that can still be undone; nil if there is none.
    public let lastRemoval: Date?
    /// Whether the device has the account's token.
    public internal(set) var hasToken = false

    /// Whose store it is.
    public var id: AccountScope { scope }
    /// The account; nil for the userless store.
    public var account: AccountID? { if case .account(let id) = scope { id } else { nil } }
    /// Whether nothing is in the store that anybody could miss.
    public var isEmpty: Bool { lists == 0 && people == 0 && waiting == 0 && rejections == 0 && lastRemoval == nil }
}

extension StoredAccount {
    init(_ account: ReplicaAccount, at now: Timestamp, _ db: Database) throws {
        let isCurrent = try ReplicaAccount.current(db).key == account.key
        let waiting = try Outbox(db: db, account: account.key).waiting()
        let name = try Profile.fetch(db, account.key).fullName
        self.init(
            scope: account.id.map(AccountScope.account) ?? .userless, server: account.home.id,
            address: account.home.address.flatMap { URL(string: $0) }, name: name,
            lists: try SharedList.count(db, account.key),
            people: try NetworkContact.fetchAll(db, account, in: .everyone).count, waiting: waiting.count,
            oldestWaiting: waiting.oldest?.date,
            rejections: try Rejections(db: db, account: account.key).count(), state: account.state,
            isCurrent: isCurrent, lastRemoval: try KeptRemoval.date(db, account: account.key, at: now)?.date)
    }

    static func fetchAll(at now: Timestamp, _ db: Database) throws -> [StoredAccount] {
        try ReplicaAccount.all(db).map { try StoredAccount($0, at: now, db) }
    }

    /// The stores besides one that hold anything.
    static func fetchAll(
        besides account: ReplicaAccount, at now: Timestamp, _ db: Database
    ) throws -> [StoredAccount] {
        try ReplicaAccount.all(db).filter { $0.key != account.key }.map { try StoredAccount($0, at: now, db) }
            .filter { !$0.isEmpty }
    }
}

extension [StoredAccount] {
    /// The same, each with whether the device has its token.
    func withTokens(in credentials: any CredentialStore) throws -> Self {
        try map { store in
            var store = store
            if let id = store.account { store.hasToken = try credentials.token(for: id) != nil }
            return store
        }
    }
}
