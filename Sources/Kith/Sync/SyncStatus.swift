public import Foundation
import GRDB
public import KithModel

/// How far the current account is in step with the server.
public struct SyncStatus: Sendable, Hashable {
    /// What went wrong last.
    public struct Failure: Sendable, Hashable {
        /// What went wrong, for programs.
        public let code: KithError.Code
        /// What happened and what to do next, for people.
        public let sentence: String
    }

    /// How the app stands with the server.
    public let session: SessionState
    /// nil for the userless store.
    public let account: AccountID?
    /// Edits that wait to be sent.
    public let waiting: Int
    /// When the oldest of them was made.
    public let oldestWaiting: Date?
    /// When a round last read everything.
    public let lastRound: Date?
    /// What went wrong last; nil once a round succeeds.
    public let lastError: Failure?
    /// When it is tried again.
    public let retryAt: Date?
    /// Edits that the server refused and that the app has not dismissed.
    public let rejections: Int
    /// Whether a round is being made at this moment.
    public let isSyncing: Bool
    /// The server that the account belongs to; nil if it is not known, or if the server has no id.
    public let server: ServerID?
    /// Where that server was last reached.
    public let address: URL?
    /// The other stores on this device that hold anything. None of the numbers above counts them.
    public internal(set) var otherStores: [StoredAccount]

    /// The other stores that have unsent edits. As long as there are any, not everything on the device is sent.
    public var unsentElsewhere: [StoredAccount] { otherStores.filter { $0.waiting > 0 } }

    /// Whether a round has ever read everything.
    public var hasSynced: Bool { lastRound != nil }

    static func fetch(_ db: Database, _ account: ReplicaAccount, at now: Timestamp, isSyncing: Bool) throws
        -> SyncStatus
    {
        let waiting = try Outbox(db: db, account: account.key).waiting()
        return SyncStatus(
            session: account.state, account: account.id, waiting: waiting.count,
            oldestWaiting: waiting.oldest?.date, lastRound: account.completed?.date,
            lastError: account.error.map { Failure(code: KithError.Code(rawValue: $0.code), sentence: $0.sentence) },
            retryAt: account.schedule.retryAt?.date,
            rejections: try Rejections(db: db, account: account.key).count(), isSyncing: isSyncing,
            server: account.home.id,
            address: account.home.address.flatMap { URL(string: $0) },
            otherStores: try StoredAccount.fetchAll(besides: account, at: now, db))
    }
}
