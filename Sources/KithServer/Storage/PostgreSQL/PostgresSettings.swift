import KithModel

/// The limits of the server's use of PostgreSQL.
public struct PostgresSettings: Hashable, Sendable {
    /// The connections of this process. Each has its own thread.
    public var connections = 16
    /// How many connections may write at the same time. The others remain for reads while writers wait for each other.
    public var writers = 12
    /// How many transactions may wait for a connection. Further ones are refused.
    public var waiting = 1_000
    /// How long a transaction may wait for a connection.
    public var waitingTime: Duration = .seconds(10)
    /// How many writes to one feed may share a transaction.
    public var joinedWrites = 64
    /// How long writes that share a transaction may run. The rest wait for the next one: other servers wait for the feed
    /// too.
    public var joinedTime: Duration = .milliseconds(25)
    /// How long one statement may run.
    public var statementTime: Duration = .seconds(15)
    /// How long one statement may wait for a lock. It is longer than the second after which PostgreSQL looks for deadlocks.
    public var lockTime: Duration = .seconds(5)
    /// How long PostgreSQL keeps a transaction open that sends no statement. A server that hangs in the middle of a
    /// transaction keeps others from its rows for so long.
    public var idleTime: Duration = .seconds(3)
    /// How long the connection to one host may take. If an address names several hosts, each gets this time.
    public var connectingTime: Duration = .seconds(5)
    /// How long each statement may take when the database is opened: nodes that start together wait for the first one's
    /// migrations.
    public var openingTime: Duration = .seconds(600)
    /// How long to wait for an answer that takes no time, such as that to the beginning of a transaction, and for that to a
    /// statement after its own time. Then the connection counts as lost.
    public var answerTime: Duration = .seconds(5)
    /// Whether statements stay prepared. PgBouncer before 1.21 does not permit it in transaction mode.
    public var preparesStatements = true
    /// Whether a pooler such as PgBouncer hands out another session for each transaction. Each transaction then sets its
    /// own limits.
    public var isPooled = false
    /// The address at which the server listens for the other nodes; that of the database if nil. Behind a pooler that
    /// shares sessions by transaction, it must be PostgreSQL's own: such a pooler hands out no session that listens.
    public var listeningURL: String?
    /// Whether a commit is answered only after it is durable. False for what may be lost with the host.
    var isDurable = true

    /// The default limits.
    public init() {}

    /// Checks the address to listen at.
    ///
    /// - Throws: ``ServerError`` with the code `malformed` if it cannot be read, or if it is missing although a pooler is
    ///   between: the pooler would give the session that listens to others.
    func checkListening() throws(ServerError) {
        if let listeningURL { _ = try PostgresAddress(listeningURL) }
        guard isPooled, listeningURL == nil else { return }
        throw ServerError(
            .malformed,
            "Nothing can be heard through a pooler. Name PostgreSQL itself with --database-listening postgres://…")
    }

    /// The limits of a copy of a whole database: few connections, and statements over whole tables.
    package static let copying: PostgresSettings = {
        var settings = PostgresSettings()
        settings.connections = 2
        settings.writers = 1
        settings.statementTime = .seconds(600)
        // The old database is read in between.
        settings.idleTime = .seconds(600)
        return settings
    }()
}
