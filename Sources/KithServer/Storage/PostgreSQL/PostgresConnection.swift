import CPostgreSQL
import Foundation
import KithModel

/// One connection to PostgreSQL. Only the thread that has opened it uses it.
///
/// It waits for PostgreSQL with `poll`, so that no answer takes longer than its deadline.
final class PostgresConnection {
    /// The most parameters of a statement that stays prepared, as in SQLite: statements over longer row sets have varying
    /// lengths.
    private static let preparedParameters = 48
    /// The most statements that stay prepared. Each takes memory in PostgreSQL, and none is removed.
    private static let preparedStatements = 4_000
    /// The oldest PostgreSQL that the server works with.
    private static let oldestVersion: Int32 = 130_000

    private let handle: OpaquePointer
    private let settings: PostgresSettings
    private let session: PostgresSession
    private let notices = PostgresNotices()
    private var known: [String: KnownStatement] = [:]
    private var prepared = 0
    private var mode = PostgresMode.read

    /// A statement with its numbered parameters, and its names in PostgreSQL: one for each list of types.
    private struct KnownStatement {
        let numbered: NumberedStatement
        var names: [[Oid]: String] = [:]
    }

    /// Opens a connection.
    ///
    /// - Throws: ``PostgresFailure``, or ``ServerError`` if the database is not fit for the server.
    init(_ address: PostgresAddress, _ settings: PostgresSettings) throws {
        guard let handle = address.connect(settings) else { throw PostgresFailure(lost: "There is no memory.") }
        self.handle = handle
        self.settings = settings
        session = PostgresSession(settings)
        guard PQstatus(handle) == CONNECTION_OK else { throw lost() }
        notices.receive(from: handle)
        guard PQsetnonblocking(handle, 1) == 0 else { throw lost() }
        try checkServer()
        if let preparation = session.preparation { _ = try answer(PQsendQuery(handle, preparation)) }
    }

    deinit { PQfinish(handle) }

    /// Begins a transaction.
    func begin(_ mode: PostgresMode) throws {
        self.mode = mode
        // Takes no time, so that a host that is gone is soon noticed.
        _ = try answer(PQsendQuery(handle, session.beginning(mode)), within: settings.answerTime)
    }

    /// Commits.
    ///
    /// - Throws: ``UnknownOutcome``, or ``PostgresFailure`` if nothing was changed.
    func commit() throws {
        notices.clear()
        let result: PostgresResult
        do {
            result = try answer(PQsendQuery(handle, "COMMIT"))
        } catch let failure as PostgresFailure where failure.isConnectionLost {
            throw UnknownOutcome(notices.unreplicated ?? failure.description)
        }
        if let words = notices.unreplicated { throw UnknownOutcome(words) }
        // PostgreSQL answers so, without an error, if a statement of the transaction has failed.
        guard result.command == "COMMIT" else {
            throw PostgresFailure(state: "25P02", words: "The commit was answered with \(result.command).")
        }
    }

    /// Undoes the transaction.
    func rollback() throws {
        _ = try answer(PQsendQuery(handle, "ROLLBACK"), within: settings.answerTime)
    }

    /// Whether another transaction can begin.
    var isIdle: Bool { PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// Runs one statement.
    ///
    /// - Throws: ``PostgresFailure``, or ``ServerError`` if the statement and its values do not fit. The transaction can
    ///   then go on.
    func run(_ sql: String, _ values: [SQLValue]) throws -> PostgresResult {
        let isShort = values.count <= Self.preparedParameters
        var statement = known[sql] ?? KnownStatement(numbered: NumberedStatement(sql))
        guard statement.numbered.parameters == values.count else {
            throw ServerError(.internalError, "A statement has another number of parameters than values.")
        }
        let parameters = try PostgresParameters(values)
        // The statements of the migrations run once.
        guard isShort, mode != .opening else { return try runUnprepared(statement.numbered, parameters) }
        if let name = statement.names[parameters.types] { return try run(prepared: name, parameters) }
        defer { if known.count < Self.preparedStatements { known[sql] = statement } }
        guard settings.preparesStatements, prepared < Self.preparedStatements else {
            return try runUnprepared(statement.numbered, parameters)
        }
        let name = "kith_\(prepared)"
        prepared += 1
        _ = try answer(PQsendPrepare(handle, name, statement.numbered.text, parameters.count, parameters.types))
        statement.names[parameters.types] = name
        return try run(prepared: name, parameters)
    }

    private func run(prepared name: String, _ parameters: PostgresParameters) throws -> PostgresResult {
        try answer(
            parameters.withPointers { values, lengths, formats in
                PQsendQueryPrepared(handle, name, parameters.count, values, lengths, formats, PostgresType.binary)
            })
    }

    private func runUnprepared(_ statement: NumberedStatement, _ parameters: PostgresParameters) throws
        -> PostgresResult
    {
        try answer(
            parameters.withPointers { values, lengths, formats in
                PQsendQueryParams(
                    handle, statement.text, parameters.count, parameters.types, values, lengths, formats,
                    PostgresType.binary)
            })
    }

    private func checkServer() throws {
        let version = PQserverVersion(handle)
        guard version >= Self.oldestVersion else {
            throw ServerError(
                .busy, "PostgreSQL \(version / 10_000) is too old. Kith needs \(Self.oldestVersion / 10_000) or newer.")
        }
        // A pooler need not say it.
        let encoding = PQparameterStatus(handle, "server_encoding").map { String(cString: $0) }
        guard encoding == nil || encoding == "UTF8" else {
            throw ServerError(
                .busy, "The PostgreSQL database has the encoding \(encoding ?? ""). Create it with ENCODING 'UTF8'.")
        }
    }

    // MARK: Notifications

    /// Receives the notifications of a channel from now on. The connection must not be in a transaction.
    func listen(to channel: String) throws {
        _ = try answer(PQsendQuery(handle, "LISTEN \(channel)"), within: settings.answerTime)
    }

    /// The payload of the next notification; nil if none has arrived in time.
    ///
    /// - Throws: ``PostgresFailure`` if the connection was lost.
    func nextNotification(within time: Duration) throws -> String? {
        let deadline = ContinuousClock.now + time
        while true {
            if let notification = PQnotifies(handle) {
                defer { PQfreemem(notification) }
                return String(cString: notification.pointee.extra)
            }
            guard try hasInput(by: deadline) else { return nil }
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
    }

    /// Checks that PostgreSQL answers.
    ///
    /// - Throws: ``PostgresFailure`` if it does not.
    func check() throws {
        _ = try answer(PQsendQuery(handle, "SELECT 1"), within: settings.answerTime)
    }

    // MARK: Waiting

    /// Sends what libpq has queued, and waits for the whole answer.
    ///
    /// - Parameters:
    ///   - isQueued: What libpq's function for sending has returned.
    ///   - time: How long it may take; as long as a statement of this transaction if nil.
    /// - Returns: The result of the last statement.
    /// - Throws: ``PostgresFailure``.
    private func answer(_ isQueued: Int32, within time: Duration? = nil) throws -> PostgresResult {
        guard isQueued == 1 else { throw lost() }
        let deadline = ContinuousClock.now + (time ?? session.answerTime(mode))
        try flush(by: deadline)
        var last: PostgresResult?
        var failure: PostgresFailure?
        while let result = try next(by: deadline, after: failure) {
            failure = failure ?? result.failure
            last = result
        }
        if let failure { throw failure }
        guard let last else { throw lost() }
        return last
    }

    /// The next part of the answer; nil after the last.
    private func next(by deadline: ContinuousClock.Instant, after failure: PostgresFailure?) throws -> PostgresResult? {
        while PQisBusy(handle) != 0 {
            _ = try wait(for: POLLIN, by: deadline)
            // PostgreSQL says why, before it closes a connection.
            if PQconsumeInput(handle) == 0 { throw failure ?? lost() }
        }
        return PQgetResult(handle).map { PostgresResult($0) }
    }

    private func flush(by deadline: ContinuousClock.Instant) throws {
        while true {
            let state = PQflush(handle)
            if state == 0 { return }
            guard state == 1 else { throw lost() }
            // PostgreSQL may wait for us to read before it reads on.
            let ready = try wait(for: POLLIN | POLLOUT, by: deadline)
            if ready & Int16(POLLIN) != 0, PQconsumeInput(handle) == 0 { throw lost() }
        }
    }

    /// Waits until the connection can be read or written, or has ended.
    private func wait(for events: Int32, by deadline: ContinuousClock.Instant) throws -> Int16 {
        let ready = try readiness(for: events, by: deadline)
        guard ready != 0 else { throw PostgresFailure(lost: "There was no answer in time.") }
        return ready
    }

    private func hasInput(by deadline: ContinuousClock.Instant) throws -> Bool {
        try readiness(for: POLLIN, by: deadline) != 0
    }

    /// Waits for an event of the connection, and returns 0 if there was none in time.
    private func readiness(for events: Int32, by deadline: ContinuousClock.Instant) throws -> Int16 {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        while descriptor.fd >= 0 {
            let left = deadline - .now
            guard left > .zero else { return 0 }
            let milliseconds = Int32(min(left / .milliseconds(1), 1_000_000).rounded(.up))
            let count = poll(&descriptor, 1, milliseconds)
            if count > 0 { return descriptor.revents }
            if count < 0 && errno != EINTR { break }
        }
        throw lost()
    }

    private func lost() -> PostgresFailure {
        let words = String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isNewline).joined(separator: " ")
        return PostgresFailure(lost: words.isEmpty ? "The connection has ended." : words)
    }
}
