import GRDB
public import Foundation
public import KithModel

/// A description of one store on this device: its account, its size, and whether it can still be sent.
///
/// Each account on the device has a store. There is also a userless store, for data that was created without an
/// account. ``KithClient/lists`` shows the current store; the others can still be read, exported and moved: see
/// ``Accounts``.
public struct StoredAccount: Sendable, Hashable, Identifiable {
    /// The scope of the store.
    public let scope: AccountScope
    /// The server that the account belongs to; nil if it is not known, or if the server has no id.
    public let server: ServerID?
    /// The address at which that server was last reached.
    public let address: URL?
    /// The account's name, from its profile.
    public let name: String?
    /// How many records of each kind the store has that the user could miss, such as `records[.shareables]`. Kinds without
    /// any are left out. `.profiles` counts one if the profile is not empty. Items and people of lists are parts of `.lists`.
    public let records: [RecordCollection: Int]
    /// The number of unsent edits.
    public let waiting: Int
    /// The time of the oldest unsent edit.
    public let oldestWaiting: Date?
    /// The number of rejections that were not dismissed.
    public let rejections: Int
    /// The state of the account's session.
    public let state: SessionState
    /// Whether the store is the current one, which clients without ``KithConfiguration/account`` use.
    public let isCurrent: Bool
    /// The time of the last removal that can still be undone; nil if there is none.
    public let lastRemoval: Date?
    /// Whether the account has a proved number or email, an identity at an issuer, or a passkey, so that the user can sign in
    /// to it again.
    public let isIdentified: Bool
    /// Whether a sign-in or a new session has hidden the store, and the user has not decided yet whether to move, keep or
    /// drop it. See
    /// ``Accounts/undecided()``.
    public let isUndecided: Bool
    /// Whether the device has the account's token.
    public internal(set) var hasToken = false

    /// The same as ``scope``.
    public var id: AccountScope { scope }
    /// The account; nil for the userless store.
    public var account: AccountID? { if case .account(let id) = scope { id } else { nil } }
    /// The number of lists in the store.
    public var lists: Int { records[.lists] ?? 0 }
    /// The number of contacts in the account's network.
    public var people: Int { records[.contacts] ?? 0 }
    /// Whether the store contains nothing that the user could miss: no records of any kind, no unsent edits, no rejections
    /// and no removal that can be undone.
    public var isEmpty: Bool { records.isEmpty && waiting == 0 && rejections == 0 && lastRemoval == nil }
}

extension StoredAccount {
    /// How long a removal can be undone.
    static let removalTime = Duration.days(30)

    /// The time of the last removal in a store, if it can still be undone at `now`.
    private static func removalDate(in store: Store, at now: Timestamp) throws -> Timestamp? {
        let date = try Int64.fetchOne(
            store.db, sql: "SELECT date FROM removal WHERE account = ?", arguments: [store.key])
        return date.map(Timestamp.init(milliseconds:)).flatMap { $0 < now - removalTime ? nil : $0 }
    }

    init(
        _ account: ReplicaAccount, at now: Timestamp, _ collections: ReplicaCollections, _ db: Database
    ) throws {
        let reading = ReplicaReading(db: db, account: account)
        let store = reading.store
        let isCurrent = try ReplicaAccount.current(db).key == account.key
        let waiting = try store.outbox.waiting()
        let name = try Profile.fetch(in: store).fullName
        self.init(
            scope: AccountScope(account.id), server: account.home.id,
            address: account.home.address.flatMap { URL(string: $0) }, name: name,
            records: try collections.content(of: reading), waiting: waiting.count,
            oldestWaiting: waiting.oldest?.date,
            rejections: try store.rejections.count(), state: account.state,
            isCurrent: isCurrent, lastRemoval: try Self.removalDate(in: store, at: now)?.date,
            isIdentified: account.session.isIdentified, isUndecided: account.isUndecided)
    }

    static func fetchAll(
        at now: Timestamp, _ collections: ReplicaCollections, _ db: Database
    ) throws -> [StoredAccount] {
        try ReplicaAccount.all(db).map { try StoredAccount($0, at: now, collections, db) }
    }

    /// The stores other than `account` that are not empty.
    static func fetchAll(
        besides account: ReplicaAccount, at now: Timestamp, _ collections: ReplicaCollections, _ db: Database
    ) throws -> [StoredAccount] {
        try ReplicaAccount.all(db).filter { $0.key != account.key }
            .map { try StoredAccount($0, at: now, collections, db) }.filter { !$0.isEmpty }
    }
}

extension [StoredAccount] {
    /// The same stores, with ``StoredAccount/hasToken`` set.
    func withTokens(in credentials: any CredentialStore) throws -> Self {
        try map { store in
            var store = store
            if let id = store.account { store.hasToken = try credentials.token(for: id) != nil }
            return store
        }
    }
}
