import GRDB
public import KithModel

/// One account on this device: who it is, how far it is in step, and what is wrong.
package struct ReplicaAccount: Sendable {
    /// The local number that walls its rows.
    let key: Int64
    /// nil for the userless store: no session was ever opened for it.
    package var id: AccountID?
    package var state: SessionState
    package var device: DeviceID
    package var acknowledged: Acknowledgement
    /// The highest number ever given to a mutation.
    package var sent: Int64
    package var token: SyncToken?
    var epoch: String?
    /// The server that the account belongs to. Nothing of the account is sent to another.
    package var home: ServerIdentity
    var batch: Int
    /// When a round last read everything to its end.
    package var completed: Timestamp?
    package var schedule: RetrySchedule
    /// Whether its rows are being deleted, so that nothing of it is to be written any more.
    var isDropped = false
    var error: (code: String, sentence: String)?

    /// Tells it from others, also from one that was given its number when it was gone.
    package struct Mark: Hashable, Sendable {
        let key: Int64
        let id: AccountID?
    }

    /// Whether a first round has written everything that the server had.
    var isPopulated: Bool { completed != nil }

    package var mark: Mark { Mark(key: key, id: id) }

    /// Sees to it that what was begun for one account does not end with another.
    ///
    /// - Throws: ``KithError`` with `refused` if it is another.
    func check(_ mark: Mark) throws {
        if self.mark != mark {
            throw KithError(.refused, "Another account became the current one meanwhile. Look again for it.")
        }
    }

    init(_ row: Row) {
        key = row["key"]
        id = row["id"]
        state = SessionState(rawValue: row["state"]) ?? .initial
        device = row["device"]
        acknowledged = Acknowledgement(number: row["acknowledgedNumber"], hash: row["acknowledgedHash"])
        sent = row["sent"]
        token = (row["token"] as String?).map(SyncToken.init)
        epoch = row["epoch"]
        home = ServerIdentity(id: row["server"], address: row["address"])
        batch = row["batch"]
        completed = (row["completed"] as Int64?).map(Timestamp.init(milliseconds:))
        schedule = RetrySchedule(
            attempt: row["attempt"], retryAt: (row["retryAt"] as Int64?).map(Timestamp.init(milliseconds:)))
        error = (row["errorCode"] as String?).map { ($0, row["errorSentence"] ?? "") }
    }

    static func current(_ db: Database) throws -> ReplicaAccount {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM account WHERE isCurrent") else {
            throw KithError(.database, "The replica has no current account.")
        }
        return ReplicaAccount(row)
    }

    static func with(key: Int64, _ db: Database) throws -> ReplicaAccount? {
        try Row.fetchOne(db, sql: "SELECT * FROM account WHERE key = ?", arguments: [key]).map(ReplicaAccount.init)
    }

    static func at(_ wall: Wall, _ db: Database) throws -> ReplicaAccount? {
        let row =
            switch wall {
            case .userless: try Row.fetchOne(db, sql: "SELECT * FROM account WHERE id IS NULL")
            case .account(let id): try Row.fetchOne(db, sql: "SELECT * FROM account WHERE id = ?", arguments: [id])
            }
        return row.map(ReplicaAccount.init)
    }

    static func all(_ db: Database) throws -> [ReplicaAccount] {
        try Row.fetchAll(db, sql: "SELECT * FROM account ORDER BY key").map(ReplicaAccount.init)
    }

    /// A new account behind a wall of its own, on a device identity of its own.
    static func insert(id: AccountID?, state: SessionState, device: DeviceID, _ db: Database) throws -> ReplicaAccount {
        try db.execute(
            sql: "INSERT INTO account (id, state, device) VALUES (?, ?, ?)", arguments: [id, state.rawValue, device])
        guard let account = try with(key: db.lastInsertedRowID, db) else {
            throw KithError(.database, "The account was not written.")
        }
        return account
    }

    func save(_ db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE account SET id = ?, state = ?, device = ?, acknowledgedNumber = ?, acknowledgedHash = ?, sent = ?,
                    token = ?, epoch = ?, batch = ?, completed = ?, attempt = ?, retryAt = ?, errorCode = ?,
                    errorSentence = ?, server = ?, address = ?
                WHERE key = ?
                """
        ).execute(
            arguments: [
                id, state.rawValue, device, acknowledged.number, acknowledged.hash, sent, token?.rawValue, epoch, batch,
                completed?.milliseconds, schedule.attempt, schedule.retryAt?.milliseconds, error?.code,
                error?.sentence, home.id, home.address, key,
            ])
    }

    func makeCurrent(_ db: Database) throws {
        try db.execute(sql: "UPDATE account SET isCurrent = (key = ?)", arguments: [key])
    }

    /// A new identity for a replica that turned out to be a copy: its numbers start anew.
    mutating func takeNewDevice(_ device: DeviceID) {
        self.device = device
        acknowledged = .none
        sent = 0
    }

    /// Whether the server has records of this account.
    func hasSyncedRecords(_ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM feed WHERE account = ? AND digest <> ?)",
            arguments: [key, FeedDigest().description]) ?? false
    }
}

/// Whose rows: those of an account, or those made before any session existed.
public enum Wall: Hashable, Sendable {
    /// The userless store.
    case userless
    /// The store of this account.
    case account(AccountID)
}

extension Wall: CustomStringConvertible {
    /// For a sentence to people.
    public var description: String {
        switch self {
        case .userless: "the store without an account"
        case .account(let id): "account \(id)"
        }
    }
}
