public import Foundation
public import KithModel

/// The state of the current account's synchronization.
public struct SyncStatus: Sendable, Hashable {
    /// The last failure.
    public struct Failure: Sendable, Hashable {
        /// The reason, for programs.
        public let code: KithError.Code
        /// What has happened and what to do next, for people.
        public let sentence: String
    }

    /// The state of the account's session.
    public let session: SessionState
    /// The account; nil for the userless store.
    public let account: AccountID?
    /// The number of edits that wait to be sent.
    public let waiting: Int
    /// The time of the oldest unsent edit.
    public let oldestWaiting: Date?
    /// The time of the last round that read everything.
    public let lastRound: Date?
    /// The last failure; nil after a successful round. It is `unauthorized` while this device does not have the account's
    /// token, and `credentials` while it cannot read whether it has the tokens of ``otherStores``.
    public internal(set) var lastError: Failure?
    /// The time of the next attempt.
    public let retryAt: Date?
    /// The number of edits that the server refused and the app has not dismissed.
    public let rejections: Int
    /// Whether a round is running.
    public let isSyncing: Bool
    /// The server that the account belongs to; nil if it is not known, or if the server has no id.
    public let server: ServerID?
    /// The address at which that server was last reached.
    public let address: URL?
    /// The other stores on this device that are not empty. The numbers above do not include them.
    public internal(set) var otherStores: [StoredAccount]

    /// The other stores that have unsent edits.
    public var unsentElsewhere: [StoredAccount] { otherStores.filter { $0.waiting > 0 } }

    /// Whether a round has ever read everything from the server.
    public var hasSynced: Bool { lastRound != nil }

    static func fetch(
        _ reading: ReplicaReading, at now: Timestamp, _ collections: ReplicaCollections, isSyncing: Bool
    ) throws -> SyncStatus {
        let (store, account) = (reading.store, reading.account)
        let waiting = try store.outbox.waiting()
        return SyncStatus(
            session: account.state, account: account.id, waiting: waiting.count,
            oldestWaiting: waiting.oldest?.date, lastRound: account.completed?.date,
            lastError: account.error.map { Failure(code: KithError.Code(rawValue: $0.code), sentence: $0.sentence) },
            retryAt: account.schedule.retryAt?.date,
            rejections: try store.rejections.count(), isSyncing: isSyncing,
            server: account.home.id,
            address: account.home.address.flatMap { URL(string: $0) },
            otherStores: try StoredAccount.fetchAll(besides: account, at: now, collections, reading.db))
    }
}
