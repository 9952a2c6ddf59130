import CPostgreSQL
import Foundation
import KithModel

/// One connection to PostgreSQL. Only the thread that has opened it uses it.
///
/// It is in libpq's pipeline mode: statements are sent together, and their answers come together. It waits for
/// PostgreSQL with `poll`, so that no answer takes longer than its deadline.
final class PostgresConnection {
    /// The oldest PostgreSQL that the server works with.
    private static let oldestVersion: Int32 = 130_000

    /// How long the answers may take, and what is set in each transaction.
    let session: PostgresSession
    /// The warnings that have arrived.
    let notices = PostgresNotices()
    /// The timeline to which it leads; nil if it is unknown.
    private var timeline: PostgresTimeline?
    private let primary: PostgresPrimary
    private let handle: OpaquePointer
    private let settings: PostgresSettings
    private let flights: PostgresFlightCounter
    private var known = KnownStatements()

    /// Opens a connection to the newest primary, which counts how often it waits for answers in `flights`.
    ///
    /// - Throws: ``PostgresFailure``, or ``ServerError`` if the database is not fit for the server.
    init(
        _ address: PostgresAddress, _ settings: PostgresSettings, _ primary: PostgresPrimary,
        counting flights: PostgresFlightCounter = PostgresFlightCounter()
    ) throws {
        guard let handle = address.connect(settings) else { throw PostgresFailure(lost: "There is no memory.") }
        self.primary = primary
        self.handle = handle
        self.settings = settings
        self.flights = flights
        session = PostgresSession(settings)
        guard PQstatus(handle) == CONNECTION_OK else { throw PostgresFailure(unopened: lost().words) }
        notices.receive(from: handle)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw lost() }
        try checkServer()
        let preparation = session.preparation
        if !preparation.isEmpty { try run(preparation, within: session.answerTime(.read)) }
        timeline = try askTimeline()
        try primary.check(timeline)
    }

    deinit { PQfinish(handle) }

    /// Whether another transaction can begin.
    var isIdle: Bool { PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// Whether a transaction has begun and neither ended nor been left without an answer.
    var isInTransaction: Bool {
        PQstatus(handle) == CONNECTION_OK
            && [PQTRANS_INTRANS, PQTRANS_INERROR].contains(PQtransactionStatus(handle))
    }

    /// A statement that can be sent.
    ///
    /// - Throws: ``ServerError`` if the statement and its values do not fit.
    func statement(
        _ sql: String, _ values: [SQLValue], _ mode: PostgresMode, for answer: PostgresAnswer?
    ) throws -> PostgresStatement {
        // The statements of the migrations run once.
        let isFrequent = mode != .opening
        let statement = known.statement(sql, isFrequent: isFrequent)
        guard statement.numbered.parameters == values.count else {
            throw ServerError(.internalError, "A statement has another number of parameters than values.")
        }
        return PostgresStatement(
            statement, try PostgresParameters(values),
            isKept: isFrequent && statement.isKept && settings.preparesStatements, for: answer)
    }

    /// The statements that begin a transaction. If they are the first of a flight, the first of them is answered
    /// promptly, so that a host that is gone is soon noticed.
    func beginning(_ mode: PostgresMode, isFirst: Bool) -> [PostgresStatement] {
        session.beginning(mode).enumerated().map { PostgresStatement($1, isPrompt: isFirst && $0 == 0) }
    }

    /// Sends a statement that takes no time, and waits for its answer.
    ///
    /// - Throws: ``PostgresFailure``.
    func run(_ text: String) throws(PostgresFailure) {
        try run([text], within: settings.answerTime)
    }

    private func run(_ texts: [String], within time: Duration) throws(PostgresFailure) {
        if let failure = send(texts.map { PostgresStatement($0) }, within: time).failure { throw failure }
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

    /// The timeline to which the connection leads; nil if PostgreSQL does not tell it.
    private func askTimeline() throws(PostgresFailure) -> PostgresTimeline? {
        let flight = send([PostgresStatement(PostgresTimeline.query)], within: session.answerTime(.read))
        if !flight.isComplete, let failure = flight.failure { throw failure }
        return (try? flight.results.first?.row(0)).flatMap { PostgresTimeline($0) }
    }

    /// Checks that no replica has taken over from the server to which it leads, as far as is known.
    ///
    /// - Throws: ``PostgresFailure`` if one has.
    func checkPrimary() throws(PostgresFailure) { try primary.checkAgain(timeline) }

    /// The number of commits of this role that have waited for a replica for longer than a statement may run.
    func waitingCommits() throws(PostgresFailure) -> Int64 {
        let flight = send([PostgresStatement(session.waitingCommits)], within: session.answerTime(.read))
        if !flight.isComplete, let failure = flight.failure { throw failure }
        return (try? flight.results.first?.row(0).integer(0)) ?? 0
    }

    // MARK: Notifications

    /// Receives the notifications of a channel from now on. The connection must not be in a transaction.
    func listen(to channel: String) throws {
        try run("LISTEN \(channel)")
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

    /// Checks that PostgreSQL answers, and is the newest primary.
    ///
    /// - Throws: ``PostgresFailure`` if it does not, or is not.
    func check() throws {
        try checkPrimary()
        try run("SELECT 1")
    }

    // MARK: Sending

    /// What libpq was given, in its order: a statement is run, or first prepared.
    private struct Step {
        let statement: PostgresStatement
        let isPreparation: Bool
    }

    /// Sends statements together, and waits for all answers.
    ///
    /// PostgreSQL runs them in their order, and after the first that fails it runs none.
    ///
    /// - Parameters:
    ///   - statements: The statements.
    ///   - time: How long the answers may take, after the first if that is prompt.
    /// - Returns: The results, and the failure.
    func send(_ statements: [PostgresStatement], within time: Duration) -> PostgresFlight {
        flights.add()
        var flight = PostgresFlight()
        var steps: [Step] = []
        steps.reserveCapacity(statements.count)
        flight.results.reserveCapacity(statements.count)
        var succeeded = 0
        do throws(PostgresFailure) {
            for statement in statements { try queue(statement, into: &steps) }
            try checkQueued(PQpipelineSync(handle))
            var deadline = ContinuousClock.now + time
            try flush(by: deadline)
            for step in steps {
                let isPrompt = step.statement.isPrompt
                let result = try result(by: isPrompt ? ContinuousClock.now + settings.answerTime : deadline)
                if isPrompt { deadline = ContinuousClock.now + time }
                if flight.failure != nil { continue }
                flight.failure = result.failure
                if flight.failure != nil { continue }
                succeeded += 1
                if !step.isPreparation { flight.results.append(result) }
            }
            guard try next(by: deadline)?.isEnd == true else { throw lost() }
            flight.isComplete = true
        } catch {
            // PostgreSQL says why, before it closes a connection.
            flight.failure = flight.failure ?? error
        }
        for step in steps.dropFirst(succeeded) where step.isPreparation { step.statement.name = nil }
        return flight
    }

    private func queue(_ statement: PostgresStatement, into steps: inout [Step]) throws(PostgresFailure) {
        let (text, parameters) = (statement.text, statement.parameters)
        var name = statement.name
        if name == nil, statement.isKept, let new = known.newName(of: statement) {
            steps.append(Step(statement: statement, isPreparation: true))
            try checkQueued(PQsendPrepare(handle, new, text, parameters.count, parameters.types))
            name = new
        }
        steps.append(Step(statement: statement, isPreparation: false))
        let isQueued = parameters.withPointers { values, lengths, formats in
            if let name {
                PQsendQueryPrepared(handle, name, parameters.count, values, lengths, formats, PostgresType.binary)
            } else {
                PQsendQueryParams(
                    handle, text, parameters.count, parameters.types, values, lengths, formats, PostgresType.binary)
            }
        }
        try checkQueued(isQueued)
        if statement.isPrompt { try checkQueued(PQsendFlushRequest(handle)) }
    }

    private func checkQueued(_ isQueued: Int32) throws(PostgresFailure) {
        if isQueued != 1 { throw lost() }
    }

    // MARK: Waiting

    /// The answer to the next statement.
    private func result(by deadline: ContinuousClock.Instant) throws(PostgresFailure) -> PostgresResult {
        guard let result = try next(by: deadline) else { throw lost() }
        while try next(by: deadline) != nil {}
        return result
    }

    /// The next part of the answer to a statement; nil after the last.
    private func next(by deadline: ContinuousClock.Instant) throws(PostgresFailure) -> PostgresResult? {
        while PQisBusy(handle) != 0 {
            _ = try wait(for: POLLIN, by: deadline)
            if PQconsumeInput(handle) == 0 { throw lost() }
        }
        return PQgetResult(handle).map { PostgresResult($0) }
    }

    private func flush(by deadline: ContinuousClock.Instant) throws(PostgresFailure) {
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
    private func wait(for events: Int32, by deadline: ContinuousClock.Instant) throws(PostgresFailure) -> Int16 {
        let ready = try readiness(for: events, by: deadline)
        guard ready != 0 else { throw PostgresFailure(lost: "There was no answer in time.") }
        return ready
    }

    private func hasInput(by deadline: ContinuousClock.Instant) throws(PostgresFailure) -> Bool {
        try readiness(for: POLLIN, by: deadline) != 0
    }

    /// Waits for an event of the connection, and returns 0 if there was none in time.
    private func readiness(for events: Int32, by deadline: ContinuousClock.Instant) throws(PostgresFailure) -> Int16 {
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
        // There can be a line for each address of a host. A line after a tab only repeats what is known, as a question.
        let lines = String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isNewline)
        let words = lines.filter { !$0.hasPrefix("\t") }.joined(separator: "; ")
        return PostgresFailure(lost: words.isEmpty ? "The connection has ended." : words)
    }
}
