package import KithModel

/// Performs rounds: takes a device's mutations, then reads the changes for the device.
package struct SyncService: Sendable {
    /// The maximum number of mutations of a small push, which does not wait in the queue of large requests.
    package static let smallPush = 20

    private let signals: SignalSender
    private let pusher: RoundPusher
    private let answers: AnswerReader
    private let smallPush: Int

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of the records: ``SQLiteDatabase`` or ``PostgresDatabase``.
    ///   - signals: Sends the signals of its commits.
    ///   - page: The maximum number of records of an answer.
    ///   - smallPush: The maximum number of mutations of a small push. Tests have smaller pushes taken in parts.
    ///   - part: The maximum number of mutations of a large push in one transaction.
    package init(
        database: any Database, signals: SignalSender = .none, page: Int = Limits.page, smallPush: Int = Self.smallPush,
        part: Int = RoundPusher.part
    ) {
        let answers = AnswerReader(database: database, page: page)
        self.signals = signals
        self.pusher = RoundPusher(database: database, signals: signals, answers: answers, part: part)
        self.answers = answers
        self.smallPush = smallPush
    }

    /// Performs the round of `request` on behalf of `account`.
    ///
    /// The mutations are durable before the answer is read. The signals are sent after the answer is read, once for all
    /// parts. They are sent even if the answer cannot be read, because a repeated request takes no mutations, so it
    /// sends no signals. A request without mutations writes nothing.
    ///
    /// - Parameters:
    ///   - request: The request of the device.
    ///   - account: The account of the device's session.
    ///   - kind: The kind of the account, as it was read with the session; nil if the answer does not contain it.
    ///   - now: The server's time.
    ///   - terms: What applies to the round besides its request.
    ///   - scheduler: The queue for the large parts of a round: taking many mutations, and reading a large answer. Many
    ///     mutations are taken part by part, as if the device had sent several requests. If it is nil, nothing waits, and
    ///     the round is not divided.
    /// - Throws: ``ServerError`` with the code `accountMismatch`, `malformed` with the path, or `tooMany`; nothing has
    ///   changed in these cases. `busy` if the database is not available: the number of taken mutations is then
    ///   unknown, and the device sends the same request again.
    /// - Returns: The answer, and the signals that were sent.
    package func sync(
        _ request: SyncRequest, as account: AccountID, kind: String? = nil, at now: Timestamp,
        under terms: SyncRound.Terms = SyncRound.Terms(), through scheduler: (any WorkScheduler)? = nil
    ) async throws -> Synced {
        try RequestForm.check(request, from: account)
        let round = SyncRound(request, as: account, at: now, under: terms)
        let isReadAsSmall = scheduler != nil && AnswerReader.mayBeSmall(round)
        var pushed: PushResult?
        // An answer that is read together with the push.
        var early: Result<Synced?, any Error>?
        if request.mutations.count > smallPush, let scheduler {
            pushed = try await scheduler.run(WorkUnits.mutations(request.mutations.count), goesOn: false) {
                try await pusher.pushInParts(round)
            }
        } else if !request.mutations.isEmpty {
            (pushed, early) = try await pusher.push(
                round, hashes: request.mutations.map(\.hash), after: NamedRecords(), answering: isReadAsSmall)
        }
        do {
            var synced =
                if let answer = try early?.get() {
                    answer
                } else if isReadAsSmall {
                    try await answers.readSmall(round, after: pushed)
                } else {
                    try await answers.readWhole(round, after: pushed, through: scheduler)
                }
            // A push that ran twice has the signals of both runs.
            synced.signals = pushed?.signals ?? synced.signals
            synced.answer.addKind(kind, for: request)
            await signals.send(synced.signals, by: round.device)
            return synced
        } catch {
            if let pushed { await signals.send(pushed.signals, by: round.device) }
            throw error
        }
    }
}

extension SyncAnswer {
    /// Adds the kind of the account, if the device assumes another one. Devices of older versions name none, and get
    /// none.
    fileprivate mutating func addKind(_ kind: String?, for request: SyncRequest) {
        if let assumed = request.kind, assumed != kind { self.kind = kind }
    }
}
