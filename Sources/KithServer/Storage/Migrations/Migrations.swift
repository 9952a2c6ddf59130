import KithModel

/// The tables, as a list of migration steps. A released step is never changed; changes are new steps.
package struct Migrations: Sendable {
    /// The number of the step since when nodes have rows.
    private static let nodes = 29

    /// Steps after those of this program: with them, a test is a newer program.
    private let further: [MigrationStep]

    /// Called before an upgrade, with the version of the database and that of this program.
    private let whenUpgrading: @Sendable (Int, Int) -> Void

    /// The steps of this program, followed by some more.
    package init(
        further: [MigrationStep] = [], whenUpgrading: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) {
        self.further = further
        self.whenUpgrading = whenUpgrading
    }

    /// Brings the database to this program's version. A database of a newer program that has only added to it stays as
    /// it is.
    ///
    /// - Throws: ``ServerError`` if a newer program has written the database and this one may not use it, or if it is
    ///   an unfinished copy. The data is then left unchanged.
    func run(in transaction: any Transaction) throws {
        try transaction.execute("CREATE TABLE IF NOT EXISTS meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
        guard try Meta.value(Meta.copyName, in: transaction) == nil else {
            throw ServerError(.busy, Self.unfinishedCopy)
        }
        let steps = steps(transaction.dialect)
        let stored = try StoredVersion(in: transaction)
        guard stored.admits(programKnowing: steps.count) else {
            throw stored.refusal(ofProgramKnowing: steps.count)
        }
        guard stored.number <= steps.count else { return }
        if (1..<steps.count).contains(stored.number) { whenUpgrading(stored.number, steps.count) }
        for statement in steps[stored.number...].flatMap(\.statements) { try transaction.execute(statement) }
        try Meta.set(Meta.versionName, to: String(steps.count), in: transaction)
        try Meta.set(Meta.oldestName, to: String(Self.oldest(of: steps)), in: transaction)
    }

    private static let unfinishedCopy =
        "The database is an unfinished copy. Run the same “kith admin copy” again: it goes on where it was."

    /// Announces that this program is about to do a step after which older programs may not go on. Older nodes then
    /// stop, and none starts.
    ///
    /// - Returns: Whether it has announced one, so that older nodes may run.
    func announce(in transaction: any Transaction) throws -> Bool {
        guard try Meta.isThere(in: transaction) else { return false }
        let (stored, oldest) = (try StoredVersion(in: transaction), Self.oldest(of: steps(transaction.dialect)))
        guard stored.number >= Self.nodes, stored.number < oldest else { return false }
        try Meta.set(Meta.oldestName, to: String(oldest), in: transaction)
        return true
    }

    /// Whether this program may go on with the database. A newer program can have upgraded it, or be about to.
    package func isAdmitted(in transaction: any Transaction) throws -> Bool {
        try StoredVersion(in: transaction).admits(programKnowing: steps(transaction.dialect).count)
    }

    /// Whether this program can use the database as it is.
    func isReady(in transaction: any Transaction) throws -> Bool {
        let (stored, known) = (try StoredVersion(in: transaction), steps(transaction.dialect).count)
        return stored.number >= known && stored.admits(programKnowing: known)
    }

    /// Whether a command, which does not upgrade the database, can use it as it is.
    ///
    /// - Throws: ``ServerError`` with the code `cannotOpen` if only newer programs may use it, or if it is an unfinished copy.
    func isReadyForCommand(in transaction: any Transaction) throws -> Bool {
        guard try Meta.value(Meta.copyName, in: transaction) == nil else {
            throw ServerError(ServerError.cannotOpen, Self.unfinishedCopy)
        }
        let (stored, known) = (try StoredVersion(in: transaction), steps(transaction.dialect).count)
        guard stored.admits(programKnowing: known) else {
            throw ServerError(ServerError.cannotOpen, stored.refusal(ofProgramKnowing: known).sentence)
        }
        return stored.number >= known
    }

    /// The number of the last step after which older programs may not go on.
    private static func oldest(of steps: [MigrationStep]) -> Int {
        (steps.lastIndex { !$0.keepsOlderPrograms } ?? -1) + 1
    }

    /// The steps, in their order.
    package func steps(_ dialect: Dialect) -> [MigrationStep] {
        Self.first29(dialect).map(MigrationStep.replacing) + Self.later(dialect) + further
    }

    /// The steps from the thirtieth on.
    private static func later(_ dialect: Dialect) -> [MigrationStep] {
        [
            .clearing(SignInMigrations.devicesOfDeletedAccounts),
            .adding(InvitationMigrations.workTurns(dialect)),
            .adding(SignInMigrations.wrongCodes(dialect)),
        ]
    }

    /// The steps of the time when a database had one server, which was stopped to be upgraded.
    private static func first29(_ dialect: Dialect) -> [[String]] {
        [
            first(dialect),
            second,
            third(dialect),
            PeopleMigrations.waiting + DiscoveryMigrations.evaluationOrder,
            FeedMigrations.bytesOfFeeds(dialect),
            PeopleMigrations.memberNames(dialect),
            FeedMigrations.removedPeople(dialect),
            MessageMigrations.messages(dialect),
            SignInMigrations.codes(dialect),
            SignInMigrations.recovery(dialect),
            SignInMigrations.pairings(dialect),
            SignInMigrations.identityChanges,
            MessageMigrations.sms(dialect),
            SignInMigrations.passkeys(dialect),
            InvitationMigrations.invitations(dialect),
            SignInMigrations.issuers(dialect),
            InvitationMigrations.networksOfInvitations(dialect),
            SignInMigrations.accountKinds,
            SharingMigrations.sharing(dialect),
            OperatorMigrations.webhooks(dialect),
            SharingMigrations.programmePictures(dialect),
            FeedMigrations.gifts(dialect),
            OperatorMigrations.operators(dialect),
            SharingMigrations.joins,
            FeedMigrations.revisions(dialect),
            FeedMigrations.liveRecords,
            FeedMigrations.tombstones(dialect),
            FeedMigrations.storage(dialect) + FeedMigrations.takenDays,
            NodeMigrations.nodes(dialect),
        ]
    }

    /// Times are milliseconds since 1970, ids are 16 bytes, and flags are 0 or 1.
    private static func first(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            """
            CREATE TABLE account (
                id \(bytes) NOT NULL PRIMARY KEY, kind TEXT NOT NULL, created BIGINT NOT NULL
            )\(clustered)
            """,
            """
            CREATE TABLE session (
                token_hash \(bytes) NOT NULL PRIMARY KEY, account \(bytes) NOT NULL, created BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX session_account ON session (account)",
            // `last` is the highest number of a mutation whose outcome is stored in `taken`.
            """
            CREATE TABLE device (
                account \(bytes) NOT NULL, id \(bytes) NOT NULL, last BIGINT NOT NULL, PRIMARY KEY (account, id)
            )\(clustered)
            """,
            """
            CREATE TABLE taken (
                account \(bytes) NOT NULL, device \(bytes) NOT NULL, number BIGINT NOT NULL, hash TEXT NOT NULL,
                result TEXT NOT NULL, code TEXT, detail TEXT, PRIMARY KEY (account, device, number)
            )\(clustered)
            """,
            // `live` counts the records that are not deleted; `horizon` is the newest sequence of a purged tombstone.
            """
            CREATE TABLE feed (
                id \(bytes) NOT NULL PRIMARY KEY, kind TEXT NOT NULL, sequence BIGINT NOT NULL, digest BIGINT NOT NULL,
                live BIGINT NOT NULL, written_at BIGINT NOT NULL, horizon BIGINT NOT NULL, closed BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX feed_closed ON feed (written_at) WHERE closed = 1 AND live > 0",
            """
            CREATE TABLE record (
                feed \(bytes) NOT NULL, id \(bytes) NOT NULL, collection TEXT NOT NULL, sequence BIGINT NOT NULL,
                modified BIGINT NOT NULL, fields TEXT NOT NULL, stamps TEXT NOT NULL, deleted BIGINT NOT NULL,
                PRIMARY KEY (feed, id)
            )\(clustered)
            """,
            "CREATE INDEX record_sequence ON record (feed, sequence)",
            "CREATE INDEX record_tombstone ON record (modified) WHERE deleted = 1",
            """
            CREATE TABLE access (
                account \(bytes) NOT NULL, feed \(bytes) NOT NULL, role TEXT NOT NULL, PRIMARY KEY (account, feed)
            )\(clustered)
            """,
            "CREATE INDEX access_feed ON access (feed)",
            """
            CREATE TABLE link (
                id \(bytes) NOT NULL PRIMARY KEY, list \(bytes) NOT NULL, hash \(bytes) NOT NULL UNIQUE,
                role TEXT NOT NULL, is_public BIGINT NOT NULL, created BIGINT NOT NULL, expires BIGINT,
                accepted BIGINT NOT NULL, revoked BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX link_list ON link (list)",
            "CREATE INDEX link_expires ON link (expires)",
        ]
    }

    /// The time when mutations were last taken from a device; null when nothing is left to delete for it.
    private static let second = [
        "ALTER TABLE device ADD COLUMN taken_at BIGINT",
        "CREATE INDEX device_taken_at ON device (taken_at) WHERE taken_at IS NOT NULL",
    ]

    /// Step 3: contacts, pictures, the directory, last-seen times, private discovery, and daily quotas.
    private static func third(_ dialect: Dialect) -> [String] {
        PeopleMigrations.network(dialect) + PeopleMigrations.pictures(dialect) + PeopleMigrations.directory(dialect)
            + PeopleMigrations.presence + DiscoveryMigrations.discovery(dialect)
    }
}
