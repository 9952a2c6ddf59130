import KithModel

/// A transaction on a connection to PostgreSQL.
///
/// Statements wait until the rows of one are read, or the transaction commits. Then they are sent together: the
/// beginning with the first, the commit with the last.
///
/// After a failed statement PostgreSQL runs no further one, so each further one throws the same error.
final class PostgresTransaction: Transaction {
    /// The bytes of statements and values after which those that wait are sent.
    private static let most = 256 << 10

    private let connection: PostgresConnection
    private let mode: PostgresMode
    /// The statements that were not sent, and their bytes.
    private var waiting: [PostgresStatement] = []
    private var size = 0
    /// Whether PostgreSQL has answered that the transaction has begun. Before, nothing of it was done.
    private(set) var hasBegun = false
    /// The failure of a statement, which undoes the transaction even if the statement's caller has caught it.
    private(set) var failure: PostgresFailure?

    /// A transaction that begins with its first statement.
    init(_ connection: PostgresConnection, _ mode: PostgresMode) {
        self.connection = connection
        self.mode = mode
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
        let statement = try connection.statement(sql, values, mode, for: answer)
        waiting.append(statement)
        size += statement.size
        if size > Self.most { try deliver() }
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

    /// Sends statements, after the beginning if the transaction has not begun.
    private func send(_ statements: [PostgresStatement]) throws(PostgresFailure) -> ArraySlice<PostgresResult> {
        let beginning = hasBegun ? [] : connection.beginning(mode)
        let flight = connection.send(beginning + statements, within: connection.session.answerTime(mode))
        if !flight.results.isEmpty { hasBegun = true }
        if let failure = flight.failure {
            self.failure = failure
            throw failure
        }
        return flight.results.dropFirst(beginning.count)
    }

    // MARK: The end

    /// Commits.
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
        // It has done nothing.
        if !hasBegun && waiting.isEmpty { return }
        if !hasBegun { try sendWaiting() }
        connection.notices.clear()
        let statements = waiting + [PostgresStatement("COMMIT")]
        waiting = []
        let flight = connection.send(statements, within: connection.session.answerTime(mode))
        let unreplicated = connection.notices.unreplicated
        if let failure = flight.failure {
            self.failure = failure
            let isBeforeCommit = failure.isAnswer && flight.results.count < statements.count - 1
            if flight.isComplete || isBeforeCommit { throw failure }
            throw UnknownOutcome(unreplicated ?? failure.description)
        }
        if let unreplicated { throw UnknownOutcome(unreplicated) }
        // PostgreSQL answers otherwise, without an error, if a statement of the transaction has failed.
        guard let command = flight.results.last?.command, command == "COMMIT" else {
            throw PostgresFailure(state: "25P02", words: "The commit was not answered with COMMIT.")
        }
    }

    /// Undoes the transaction. Statements that wait are not sent.
    func rollback() {
        waiting = []
        guard connection.isInTransaction else { return }
        try? connection.run("ROLLBACK")
    }
}
