package import KithModel
import Synchronization

/// Performs rounds: takes a device's mutations, then reads the changes for the device.
package struct SyncService: Sendable {
    /// The maximum number of mutations of a small push, which does not wait in the queue of large requests.
    package static let smallPush = 20

    /// The number of characters of the longest token with which SQLite reads an answer on its writing connection.
    package static let tokenOnWriter = 200

    /// The maximum number of mutations of a large push in one transaction. It limits the time that others wait for the
    /// only writer. A group is never split.
    package static let part = 100

    private let database: any Database
    private let signals: SignalSender
    private let page: Int

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of the records: ``SQLiteDatabase`` or ``PostgresDatabase``.
    ///   - signals: Sends the signals of its commits.
    ///   - page: The maximum number of records of an answer.
    package init(database: any Database, signals: SignalSender = .none, page: Int = Limits.page) {
        self.database = database
        self.signals = signals
        self.page = page
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
    ///     mutations are taken ``part`` by part, as if the device had sent several requests. If it is nil, nothing waits,
    ///     and the round is not divided.
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
        let isReadAsSmall = scheduler != nil && Self.mayBeSmall(round)
        var pushed: PushResult?
        var answer = EarlyAnswer.notRead
        if request.mutations.count > Self.smallPush, let scheduler {
            pushed = try await scheduler.run(WorkUnits.mutations(request.mutations.count), goesOn: false) {
                try await pushInParts(round)
            }
        } else if !request.mutations.isEmpty {
            (pushed, answer) = try await push(
                round, hashes: request.mutations.map(\.hash), after: NamedRecords(), answering: isReadAsSmall)
        }
        do {
            var synced =
                switch answer {
                case .notRead where isReadAsSmall: try await readSmall(round, after: pushed)
                case .notRead: try await readWhole(round, after: pushed, through: scheduler)
                case .read(let early): early
                case .failed(let error): throw error
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

    /// Takes the mutations part by part. If a part fails, the earlier parts stay taken, and their signals are sent.
    private func pushInParts(_ round: SyncRound) async throws -> PushResult {
        let hashes = round.request.mutations.map(\.hash)
        var parts = RequestParts(round)
        var signalled = Signals()
        do {
            while true {
                let rest = parts.rest
                var (pushed, _) = try await push(
                    rest, hashes: Array(hashes.suffix(rest.request.mutations.count)), atMost: Self.part,
                    after: parts.named)
                signalled.formUnion(pushed.signals)
                if pushed.standing != .recognised && !parts.areUntouched {
                    // Nothing was taken. A copy of the device learns what was taken of every part.
                    (pushed, _) = try await push(round, hashes: hashes, atMost: Self.part, after: NamedRecords())
                    signalled.formUnion(pushed.signals)
                }
                if var all = parts.note(pushed) {
                    all.signals = signalled
                    return all
                }
            }
        } catch {
            await signals.send(signalled, by: round.device)
            throw error
        }
    }

    /// An answer that is read together with the push.
    private enum EarlyAnswer {
        /// It was not asked for, or others would have to wait too long for it.
        case notRead
        case read(Synced)
        case failed(any Error)

        init(_ result: Result<Synced?, any Error>) {
            self =
                switch result {
                case .success(let synced?): .read(synced)
                case .success(nil): .notRead
                case .failure(let error): .failed(error)
                }
        }
    }

    /// Takes mutations: at most `part` of the new ones. If `answering` is true, it then reads the answer, which must be
    /// small. The `hashes` of the mutations are computed before the transaction, because others may wait for it.
    ///
    /// If the answer to the commit is lost, the push runs once more. The second run locks the device's row, which
    /// PostgreSQL logs like a write, so its commit also proves that the first one is durable.
    private func push(
        _ round: SyncRound, hashes: [String], atMost part: Int = .max, after earlier: NamedRecords?,
        answering: Bool = false
    ) async throws -> (PushResult, EarlyAnswer) {
        let turn = database.hasSeveralWriters ? round.turn : nil
        // The signals of the last run, which the next run does not have if it finds the numbers taken.
        let told = Mutex(Signals())
        let take: @Sendable (any Transaction) throws -> PushResult = { transaction in
            let pushed = try round.push(hashes: hashes, atMost: part, after: earlier, in: transaction)
            told.withLock { $0 = pushed.signals }
            return pushed
        }
        func run() async throws -> (PushResult, EarlyAnswer) {
            guard answering else { return (try await database.write(inTurn: turn, take), .notRead) }
            let (pushed, answer) = try await database.write(inTurn: turn, take) { [page] pushed, transaction in
                try Self.readAfterWriting(round, after: pushed, page: page, in: transaction)
            }
            return (pushed, EarlyAnswer(answer))
        }
        do {
            return try await run()
        } catch let error as ServerError where error.cause is UnknownOutcome {
            let doubtful = told.withLock { $0 }
            do {
                var (pushed, answer) = try await run()
                pushed.signals.formUnion(doubtful)
                return (pushed, answer)
            } catch {
                // If the first commit was made, a repeated request takes no mutations, so it sends no signals.
                await signals.send(doubtful, by: round.device)
                throw error
            }
        }
    }

    /// Whether the answer is first read as a small one, without the queue of large requests. An answer may be large if the
    /// device continues an incomplete one, or after a push of more mutations than a small answer has records.
    private static func mayBeSmall(_ round: SyncRound) -> Bool {
        !(round.position?.isContinued ?? false) && round.request.mutations.count <= AnswerSize.small.records
    }

    /// Reads a small answer, which waits for nothing.
    private func readSmall(_ round: SyncRound, after pushed: PushResult?) async throws -> Synced {
        try await database.peek { [page] transaction in
            try Self.readSmall(round, after: pushed, size: .small.limited(to: page), in: transaction)
        }
    }

    /// Reads a large answer, which waits in the queue. Without a queue, this reads every answer.
    private func readWhole(
        _ round: SyncRound, after pushed: PushResult?, through scheduler: (any WorkScheduler)?
    ) async throws -> Synced {
        let size = AnswerSize.whole.limited(to: page)
        @Sendable func readWhole(in transaction: any Transaction) throws -> Synced {
            try round.pull(after: pushed, size: size, in: transaction)
        }
        guard let scheduler else { return try await database.read { try readWhole(in: $0) } }
        var large = try await scheduler.run(WorkUnits.bytes(Limits.pageBytes), goesOn: pushed != nil) {
            try await database.read { try readWhole(in: $0) }
        }
        large.isLarge = true
        return large
    }

    /// Reads the answer on the connection that has written; nil if it is to be read elsewhere.
    ///
    /// In SQLite, other writes wait for this connection. So it only reads short answers: for a recent, short token, and
    /// if no list is reread.
    private static func readAfterWriting(
        _ round: SyncRound, after pushed: PushResult, page: Int, in transaction: any Transaction
    ) throws -> Synced? {
        guard TokenForm(for: transaction.dialect) == .revisions else {
            return try readSmall(round, after: pushed, size: .small.limited(to: page), in: transaction)
        }
        guard let token = round.request.token, token.rawValue.utf8.count <= tokenOnWriter,
            case .revisions(let position) = round.position, round.request.reread?.isEmpty ?? true,
            pushed.revision > .zero,
            (0...FeedSelection.nearbyRevisions).contains(pushed.revision.number - position.revision.number)
        else { return nil }
        let short = try readSmall(round, after: pushed, size: .onWriter.limited(to: page), in: transaction)
        return short.answer.more ? nil : short
    }

    /// Reads a small answer. The records that the mutations named come in addition, so that it may become large.
    private static func readSmall(
        _ round: SyncRound, after pushed: PushResult?, size: AnswerSize, in transaction: any Transaction
    ) throws -> Synced {
        var small = try round.pull(after: pushed, size: size, in: transaction)
        small.isLarge = small.answer.count > AnswerSize.small.records || small.bytes > AnswerSize.small.bytes
        return small
    }

    /// ``sync(_:as:kind:at:under:through:)`` without waiting, for the simulation. The mutations are taken `part` by part,
    /// and nothing happens between two parts.
    package static func syncNow(
        _ request: SyncRequest, as account: AccountID, kind: String? = nil, at now: Timestamp, part: Int = .max,
        size: AnswerSize = .whole, under terms: SyncRound.Terms = SyncRound.Terms(),
        on database: any ImmediateDatabase
    ) throws -> Synced {
        try RequestForm.check(request, from: account)
        let round = SyncRound(request, as: account, at: now, under: terms)
        var pushed: PushResult?
        var parts = RequestParts(round)
        var signals = Signals()
        while pushed == nil, !request.mutations.isEmpty {
            let part = try database.writeNow { [parts] transaction in
                try parts.rest.push(atMost: part, after: parts.named, in: transaction)
            }
            signals.formUnion(part.signals)
            pushed = parts.note(part)
            pushed?.signals = signals
        }
        var synced = try database.readNow { [pushed] transaction in
            try round.pull(after: pushed, size: size, in: transaction)
        }
        synced.answer.addKind(kind, for: request)
        return synced
    }
}

extension SyncAnswer {
    /// Adds the kind of the account, if the device assumes another one. Devices of older versions name none, and get
    /// none.
    fileprivate mutating func addKind(_ kind: String?, for request: SyncRequest) {
        if let assumed = request.kind, assumed != kind { self.kind = kind }
    }

    /// The number of records, and of lists that the account has lost.
    fileprivate var count: Int {
        feeds.reduce(records.count + lost.count) { sum, feed in
            let paged = feed.page?.columns.reduce(0) { $0 + $1.sequences.count } ?? 0
            return sum + feed.changes.count + paged
        }
    }
}
