import KithModel

/// A transaction on a connection to PostgreSQL.
///
/// Statements wait until the rows of one are read, or the transaction commits. Then they are sent together: the
/// beginning with the first, the commit with the last, or with the first of its ``reader()`` too.
///
/// After a failed statement PostgreSQL runs no further one, so each further one throws the same error.
final class PostgresTransaction: Transaction {
    /// The bytes of statements and values after which those that wait are sent.
    private static let most = 256 << 10

    private let connection: PostgresConnection
    private let mode: PostgresMode
    /// The transaction before this one, if its commit may be sent with the first statements of this one.
    private let predecessor: PostgresTransaction?
    /// The statements that were not sent, and their bytes.
    private var waiting: [PostgresStatement] = []
    private var size = 0
    /// Whether PostgreSQL has answered that the transaction has begun. Before, nothing of it was done.
    private(set) var hasBegun = false
    /// The failure of a statement, which undoes the transaction even if the statement's caller has caught it.
    private(set) var failure: PostgresFailure?
    /// Whether a transaction that reads ends with its next flight, and whether it has.
    private var isLast = false
    private var hasEnded = false
    /// The outcome of the commit; nil before it was sent.
    private var outcome: Result<Void, any Error>?

    /// A transaction that begins with its first statement, after the end of `predecessor`.
    init(_ connection: PostgresConnection, _ mode: PostgresMode, after predecessor: PostgresTransaction? = nil) {
        self.connection = connection
        self.mode = mode
        self.predecessor = predecessor
    }

    /// The next transaction on the connection, which reads what this one commits. The commit of this one, the statements
    /// of the next one and its end are one flight, so it fails if more is asked after the first answer. Call
    /// ``commit()`` of this one afterwards: it says whether the commit was made.
    func reader() -> PostgresTransaction {
        let reader = PostgresTransaction(connection, .read, after: self)
        reader.isLast = true
        return reader
    }

    var dialect: Dialect { .postgres }

    // MARK: Statements

    func execute(_ sql: String, _ values: [SQLValue]) throws {
        try add(sql, values, for: nil)
        // Reads have no commit that could report a failure, and each statement of a migration has its own deadline.
        if mode != .write { try deliver() }
    }

    func ask(_ sql: String, _ values: [SQLValue]) throws -> Pending<[SQLRow]> {
        let answer = PostgresAnswer()
        try add(sql, values, for: answer)
        return Pending { [self] in
            let result = try result(in: answer)
            return try (0..<result.count).map { try result.row($0) }
        }
    }

    func query(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow] {
        try ask(sql, values).value()
    }

    /// The end of a transaction that reads travels with the statement.
    func lastQuery(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow] {
        isLast = mode == .read
        return try query(sql, values)
    }

    /// PostgreSQL sends all rows. Only those up to the first that is not wanted are read.
    func query(_ sql: String, _ values: [SQLValue], while isWanted: (SQLRow) throws -> Bool) throws -> [SQLRow] {
        let answer = PostgresAnswer()
        try add(sql, values, for: answer)
        let result = try result(in: answer)
        var rows: [SQLRow] = []
        for index in 0..<result.count {
            let row = try result.row(index)
            guard try isWanted(row) else { break }
            rows.append(row)
        }
        return rows
    }

    /// Lets a statement wait, and sends those that wait if they are large.
    private func add(_ sql: String, _ values: [SQLValue], for answer: PostgresAnswer?) throws {
        if let failure { throw failure.serverError }
        if hasEnded {
            throw ServerError(.internalError, "A statement came after the last one of its transaction.")
        }
        let statement = try connection.statement(sql, values, mode, for: answer)
        waiting.append(statement)
        size += statement.size
        if size > Self.most, !isLast { try deliver() }
    }

    /// The result of a statement. Sends those that wait if it has not arrived.
    private func result(in answer: PostgresAnswer) throws -> PostgresResult {
        if answer.result == nil { try deliver() }
        if let failure { throw failure.serverError }
        guard let result = answer.result else {
            throw ServerError(.internalError, "A statement was read after its transaction.")
        }
        return result
    }

    /// Sends the statements that wait, and takes their answers.
    ///
    /// - Throws: ``ServerError``.
    private func deliver() throws {
        if let failure { throw failure.serverError }
        do throws(PostgresFailure) {
            try sendWaiting()
        } catch {
            throw error.serverError
        }
    }

    private func sendWaiting() throws(PostgresFailure) {
        let statements = waiting
        (waiting, size) = ([], 0)
        for (statement, result) in zip(statements, try send(statements)) { statement.answer?.result = result }
    }

    /// Sends statements. Before them it sends the end of the transaction before this one, unless that has ended, and
    /// the beginning of this one, unless it has begun. After the last ones it sends the end of this one.
    private func send(_ statements: [PostgresStatement]) throws(PostgresFailure) -> ArraySlice<PostgresResult> {
        let ending = try predecessor?.ending() ?? []
        let beginning = hasBegun ? [] : connection.beginning(mode, isFirst: ending.isEmpty)
        let undoing = isLast ? [PostgresStatement(Self.undoing)] : []
        let flight = connection.send(
            ending + beginning + statements + undoing, within: connection.session.answerTime(predecessor?.mode ?? mode))
        if !ending.isEmpty { predecessor?.end(with: flight, ending.count) }
        let results = flight.results.dropFirst(ending.count)
        if results.count >= max(1, beginning.count) { hasBegun = true }
        if let failure = flight.failure {
            self.failure = failure
            throw failure
        }
        hasEnded = isLast
        return results.dropFirst(beginning.count)
    }

    private static let undoing = "ROLLBACK"

    // MARK: The end

    /// Commits, unless the ``reader()`` has sent the commit, and says what became of it.
    ///
    /// The commit is never sent with the beginning: if the connection was lost since the last transaction, it must be
    /// certain that nothing was done. If a statement fails that was sent with the commit, PostgreSQL does not run the
    /// commit.
    ///
    /// A failure says that nothing was changed only if PostgreSQL has ended its answers, or has itself refused a statement
    /// before the commit. Otherwise the error can come from a pooler whose connection has ended, or from PostgreSQL after
    /// it has written the commit; PostgreSQL then crashes.
    ///
    /// - Throws: ``UnknownOutcome``, or ``PostgresFailure`` if nothing was changed.
    func commit() throws {
        let ending = try ending()
        if !ending.isEmpty {
            end(with: connection.send(ending, within: connection.session.answerTime(mode)), ending.count)
        }
        try outcome?.get()
    }

    /// The statements that end the transaction: those that wait, and the commit. None if it has done nothing, or has
    /// ended. If it has not begun, this sends those that wait first.
    ///
    /// - Throws: ``PostgresFailure`` if a statement has failed, so that there is nothing to commit.
    private func ending() throws(PostgresFailure) -> [PostgresStatement] {
        if outcome != nil { return [] }
        if let failure { throw failure }
        if !hasBegun && waiting.isEmpty { return [] }
        if !hasBegun { try sendWaiting() }
        connection.notices.clear()
        defer { waiting = [] }
        return waiting + [PostgresStatement("COMMIT")]
    }

    /// Records what became of the commit, which was the last of the first `count` statements of a flight.
    private func end(with flight: PostgresFlight, _ count: Int) {
        let unreplicated = connection.notices.unreplicated
        let results = flight.results.prefix(count)
        if results.count < count, let failure = flight.failure {
            self.failure = failure
            let isBeforeCommit = failure.isAnswer && results.count < count - 1
            let isCertain = flight.isComplete || isBeforeCommit
            let unknown = UnknownOutcome(
                unreplicated ?? failure.description, isConnectionLost: failure.isConnectionLost)
            outcome = .failure(isCertain ? failure : unknown)
        } else if results.last?.command != "COMMIT" {
            // PostgreSQL answers otherwise, without an error, if a statement of the transaction has failed.
            outcome = .failure(PostgresFailure(state: "25P02", words: "The commit was not answered with COMMIT."))
        } else {
            outcome = unreplicated.map { .failure(UnknownOutcome($0)) } ?? .success(())
        }
    }

    /// Undoes the transaction. Statements that wait are not sent.
    func rollback() {
        waiting = []
        guard connection.isInTransaction else { return }
        try? connection.run(Self.undoing)
    }
}
