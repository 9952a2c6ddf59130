package import GRDB
package import KithModel

/// One account on this device: its identity, its sync state and its last error.
package struct ReplicaAccount: Sendable {
    package let key: StoreKey
    /// nil for the userless store, which never had a session.
    package var id: AccountID?
    /// The account's session: its state, and when the next attempt is due.
    package var session: SessionMachine
    package var device: DeviceID
    package var acknowledged: Acknowledgement
    /// The highest number that any mutation has had.
    package var sent: Int64
    package var token: SyncToken?
    var epoch: String?
    /// The server that the account belongs to. No data of the account is sent to another server.
    package var home: ServerIdentity
    /// How many mutations one request may carry. It is halved when a request is refused as too large; 0 means that the next
    /// request asks whether the server has those that a proxy has refused.
    var batch: Int
    /// The time of the last round that read everything.
    package var completed: Timestamp?
    /// Whether a sign-in or a new session has hidden the store, and the user has not decided yet whether to move, keep or drop it.
    var isUndecided: Bool
    var error: (code: String, sentence: String)?

    /// Identifies the account. The local number alone is not sufficient, because a deleted account's number can be
    /// reused.
    package struct Mark: Hashable, Sendable {
        package let key: StoreKey
        package let id: AccountID?
    }

    /// The state of the session.
    package var state: SessionState { session.state }
    /// The store with its account and the state of its session, to compare with those of another moment.
    var side: SessionChange.Side { SessionChange.Side(store: key, state: state, account: id) }
    /// When the next attempt is due.
    package var schedule: RetrySchedule { session.schedule }
    /// Whether the first round has written everything that the server had.
    var isPopulated: Bool { completed != nil }

    package var mark: Mark { Mark(key: key, id: id) }

    /// Checks that an operation that began for one account does not end with another.
    ///
    /// - Throws: ``KithError`` with `refused` if it is another account.
    package func check(_ mark: Mark) throws {
        if self.mark != mark { throw KithError.otherAccount }
    }

    /// The columns, in the order of `init(_:)`. It decodes by position for speed, because each read of the replica
    /// begins with its account.
    private static let columns = """
        SELECT key, id, state, device, acknowledgedNumber, acknowledgedHash, sent, token, epoch, server, address, batch,
            completed, attempt, retryAt, errorCode, errorSentence, isIdentified, isUndecided
        FROM account
        """

    /// Built once, because each read and write runs it.
    private static let currentAccount = columns + " WHERE isCurrent"

    private init(_ columns: DirectStatement.Columns) throws {
        key = StoreKey(columns.integer(0))
        id = columns.idIfAny(1)
        device = try columns.id(3)
        acknowledged = Acknowledgement(number: columns.integer(4), hash: columns.text(5))
        sent = columns.integer(6)
        token = columns.textIfAny(7).map(SyncToken.init)
        epoch = columns.textIfAny(8)
        home = ServerIdentity(id: columns.idIfAny(9), address: columns.textIfAny(10))
        batch = Int(columns.integer(11))
        completed = columns.integerIfAny(12).map(Timestamp.init(milliseconds:))
        session = SessionMachine(
            state: SessionState(rawValue: columns.text(2)) ?? .initial, isIdentified: columns.flag(17),
            schedule: RetrySchedule(
                attempt: Int(columns.integer(13)),
                retryAt: columns.integerIfAny(14).map(Timestamp.init(milliseconds:))))
        isUndecided = columns.flag(18)
        error = columns.textIfAny(15).map { ($0, columns.text(16)) }
    }

    static func current(_ db: Database) throws -> ReplicaAccount {
        guard let account = try DirectStatement(currentAccount, db).first(read: ReplicaAccount.init) else {
            throw KithError(.database, "The replica has no current account.")
        }
        return account
    }

    static func with(key: StoreKey, _ db: Database) throws -> ReplicaAccount? {
        try query("WHERE key = ?", db).first(key, read: ReplicaAccount.init)
    }

    static func at(_ scope: AccountScope, _ db: Database) throws -> ReplicaAccount? {
        switch scope {
        case .userless: try query("WHERE id IS NULL", db).first(read: ReplicaAccount.init)
        case .account(let id): try query("WHERE id = ?", db).first(id, read: ReplicaAccount.init)
        }
    }

    static func all(_ db: Database) throws -> [ReplicaAccount] {
        try query("ORDER BY key", db).all(read: ReplicaAccount.init)
    }

    private static func query(_ clause: String, _ db: Database) throws -> DirectStatement {
        try DirectStatement(columns + " " + clause, db)
    }

    /// Creates an account with its own store and device identity.
    static func insert(id: AccountID?, state: SessionState, device: DeviceID, _ db: Database) throws -> ReplicaAccount {
        try DirectStatement("INSERT INTO account (id, state, device) VALUES (?, ?, ?)", db)
            .run(id, state.rawValue, device)
        guard let account = try with(key: StoreKey(db.lastInsertedRowID), db) else {
            throw KithError(.database, "The account was not written.")
        }
        return account
    }

    func save(_ db: Database) throws {
        try DirectStatement(
            """
            UPDATE account SET id = ?, state = ?, device = ?, acknowledgedNumber = ?, acknowledgedHash = ?, sent = ?,
                token = ?, epoch = ?, batch = ?, completed = ?, attempt = ?, retryAt = ?, errorCode = ?,
                errorSentence = ?, server = ?, address = ?, isIdentified = ?, isUndecided = ?
            WHERE key = ?
            """, db
        ).run(
            id, state.rawValue, device, acknowledged.number, acknowledged.hash, sent, token?.rawValue, epoch, batch,
            completed?.milliseconds, schedule.attempt, schedule.retryAt?.milliseconds, error?.code, error?.sentence,
            home.id, home.address, session.isIdentified, isUndecided, key)
    }

    func makeCurrent(_ db: Database) throws {
        try DirectStatement("UPDATE account SET isCurrent = (key = ?)", db).run(key)
    }

    /// Takes a new device identity, for a replica that turned out to be a copy. The numbering of mutations starts
    /// again.
    mutating func takeNewDevice(_ device: DeviceID) {
        self.device = device
        acknowledged = .none
        sent = 0
    }

    /// Whether the server has records of this account.
    func hasSyncedRecords(_ db: Database) throws -> Bool {
        try FeedDigests(Store(db, self)).haveRecords()
    }
}

extension Store {
    /// The store of an account.
    package init(_ db: Database, _ account: ReplicaAccount) { self.init(db, account.key) }
}
