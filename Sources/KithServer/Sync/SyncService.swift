package import KithModel
import Synchronization

/// Performs rounds: takes a device's mutations, then reads the changes for the device.
package struct SyncService: Sendable {
    /// The limits of a small round, which does not wait in the queue of large requests. A device that needs more asks
    /// again at once.
    package enum Small {
        /// Mutations of a request.
        package static let mutations = 20
        /// Records of an answer.
        package static let page = 200
        /// Bytes of their fields.
        package static let bytes = 64 << 10
        /// Records of an answer that SQLite reads on its writing connection, for which other writes wait.
        package static let pageOnWriter = 20
        /// Characters of the longest token with which an answer is read there.
        package static let tokenOnWriter = 200
    }

    /// The maximum number of mutations of a large push in one transaction. It limits the time that others wait for the
    /// only writer. A group is never split.
    package static let part = 100

    private let database: any Database
    private let signals: SignalSender
    private let page: Int
    private let scheduler: (any WorkScheduler)?
    private let storage: Int
    private let network: String?
    private let collections: Collections
    private let tokens: TokenForm?

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of the records: ``SQLiteDatabase`` or ``PostgresDatabase``.
    ///   - signals: Sends the signals of its commits.
    ///   - page: The maximum number of records of an answer.
    ///   - scheduler: The queue for the large parts of a round: taking many mutations, and reading a large answer. Many
    ///     mutations are taken ``part`` by part, as if the device had sent several requests.
    ///   - storage: The maximum number of bytes of an account's records.
    ///   - network: The network of the device, as text: a /24 of IPv4, a /56 of IPv6. Limits of what people send to others
    ///     apply to it.
    ///   - collections: The collections that the server knows.
    ///   - tokens: The form of the tokens in the answers; that of the database if nil.
    package init(
        database: any Database, signals: SignalSender = .none, page: Int = Limits.page,
        scheduler: (any WorkScheduler)? = nil, storage: Int = Limits.storage, network: String? = nil,
        collections: Collections = .standard, tokens: TokenForm? = nil
    ) {
        self.database = database
        self.signals = signals
        self.page = page
        self.scheduler = scheduler
        self.storage = storage
        self.network = network
        self.collections = collections
        self.tokens = tokens
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
    ///   - lastOnline: Finds when the account was last online; each transaction calls it. If it is nil, what is stored
    ///     counts.
    /// - Throws: ``ServerError`` with the code `accountMismatch`, `malformed` with the path, or `tooMany`; nothing has
    ///   changed in these cases. `busy` if the database is not available: the number of taken mutations is then
    ///   unknown, and the device sends the same request again.
    /// - Returns: The answer, and the signals that were sent.
    package func sync(
        _ request: SyncRequest, as account: AccountID, kind: String? = nil, at now: Timestamp,
        lastOnline: LedgerNeeds.LastOnline? = nil
    ) async throws -> Synced {
        try RequestForm.check(request, from: account)
        var pushed: SyncRound.PushResult?
        var answered: Result<Synced?, any Error>?
        if request.mutations.count > Small.mutations, let scheduler {
            pushed = try await scheduler.run(WorkUnits.mutations(request.mutations.count), goesOn: false) {
                try await pushInParts(request, as: account, at: now, lastOnline: lastOnline)
            }
        } else if !request.mutations.isEmpty {
            (pushed, answered) = try await push(
                request, as: account, at: now, lastOnline: lastOnline, hashes: request.mutations.map(\.hash),
                part: .max, after: NamedRecords(), answering: isReadAsSmall(request))
        }
        do {
            var synced =
                if let answer = try answered?.get() { answer } else {
                    try await read(request, as: account, at: now, after: pushed)
                }
            // A push that ran twice has the signals of both runs.
            synced.signals = pushed?.signals ?? synced.signals
            synced.answer.addKind(kind, for: request)
            await signals.send(synced.signals, by: AccountDevice(request.device, of: account))
            return synced
        } catch {
            if let pushed { await signals.send(pushed.signals, by: AccountDevice(request.device, of: account)) }
            throw error
        }
    }

    /// Takes the mutations part by part. If a part fails, the earlier parts stay taken, and their signals are sent.
    private func pushInParts(
        _ request: SyncRequest, as account: AccountID, at now: Timestamp, lastOnline: LedgerNeeds.LastOnline?
    ) async throws -> SyncRound.PushResult {
        let hashes = request.mutations.map(\.hash)
        var parts = RequestParts(request)
        var signalled = Signals()
        do {
            while true {
                var (pushed, _) = try await push(
                    parts.rest, as: account, at: now, lastOnline: lastOnline,
                    hashes: Array(hashes.suffix(parts.rest.mutations.count)), part: Self.part, after: parts.named)
                signalled.formUnion(pushed.signals)
                if pushed.standing != .recognised && !parts.areUntouched {
                    // Nothing was taken. A copy of the device learns what was taken of every part.
                    (pushed, _) = try await push(
                        request, as: account, at: now, lastOnline: lastOnline, hashes: hashes, part: Self.part,
                        after: NamedRecords())
                    signalled.formUnion(pushed.signals)
                }
                if var all = parts.note(pushed) {
                    all.signals = signalled
                    return all
                }
            }
        } catch {
            await signals.send(signalled, by: AccountDevice(request.device, of: account))
            throw error
        }
    }

    /// Takes mutations: at most `part` of the new ones. If `answering` is true, it then reads the answer, which must be
    /// small. The `hashes` of the mutations are computed before the transaction, because others may wait for it.
    ///
    /// If the answer to the commit is lost, the push runs once more. The second run locks the device's row, which
    /// PostgreSQL logs like a write, so its commit also proves that the first one is durable.
    ///
    /// - Returns: The result of the push, and the answer or why it could not be read. There is no answer if not
    ///   `answering`, or if others would wait too long for it.
    private func push(
        _ request: SyncRequest, as account: AccountID, at now: Timestamp, lastOnline: LedgerNeeds.LastOnline?,
        hashes: [String], part: Int, after earlier: NamedRecords?, answering: Bool = false
    ) async throws -> (SyncRound.PushResult, Result<Synced?, any Error>?) {
        // The device's row exists once something was acknowledged.
        let turn =
            database.hasTurns
            ? LedgerNeeds(request.mutations[...], of: account, collections)
                .turn(of: request.device, of: account, hasSent: request.acknowledged.number > 0) : nil
        // The signals of the last run, which the next run does not have if it finds the numbers taken.
        let told = Mutex(Signals())
        let take: @Sendable (any Transaction) throws -> SyncRound.PushResult = {
            [storage, network, collections] transaction in
            let pushed = try SyncRound.push(
                request, account: account, at: now, lastOnline: lastOnline, hashes: hashes, part: part,
                storage: storage, network: network, collections: collections, after: earlier, in: transaction)
            told.withLock { $0 = pushed.signals }
            return pushed
        }
        func run() async throws -> (SyncRound.PushResult, Result<Synced?, any Error>?) {
            guard answering else { return (try await database.write(inTurn: turn, take), nil) }
            let (pushed, answer) = try await database.write(inTurn: turn, take) { [self] pushed, transaction in
                try readAfterWriting(request, as: account, at: now, after: pushed, in: transaction)
            }
            return (pushed, answer)
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
                await signals.send(doubtful, by: AccountDevice(request.device, of: account))
                throw error
            }
        }
    }

    /// Whether the answer is read as a small one, without the queue of large requests. Without a scheduler there is no
    /// queue, and every answer is read whole. An answer may be large if the device continues an incomplete one, or
    /// after a push of more than ``Small/page`` mutations.
    private func isReadAsSmall(_ request: SyncRequest) -> Bool {
        let isContinued = request.token.map(TokenForm.isContinued) ?? false
        return scheduler != nil && !isContinued && request.mutations.count <= Small.page
    }

    /// Reads the answer. A large answer waits in the queue.
    private func read(
        _ request: SyncRequest, as account: AccountID, at now: Timestamp, after pushed: SyncRound.PushResult?
    ) async throws -> Synced {
        if isReadAsSmall(request) {
            return try await database.peek { [self] transaction in
                try readSmall(request, as: account, at: now, after: pushed, in: transaction)
            }
        }
        @Sendable func readWhole(in transaction: any Transaction) throws -> Synced {
            try SyncRound.pull(
                request, account: account, at: now, after: pushed, page: page, tokens: tokens, in: transaction)
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
    private func readAfterWriting(
        _ request: SyncRequest, as account: AccountID, at now: Timestamp, after pushed: SyncRound.PushResult,
        in transaction: any Transaction
    ) throws -> Synced? {
        guard TokenForm(for: transaction.dialect) == .revisions else {
            return try readSmall(request, as: account, at: now, after: pushed, in: transaction)
        }
        guard let token = request.token, token.rawValue.utf8.count <= Small.tokenOnWriter,
            let position = RevisionPosition(token), request.reread?.isEmpty ?? true,
            pushed.revision > .zero,
            (0...FeedSelection.nearbyRevisions).contains(pushed.revision.number - position.revision.number)
        else { return nil }
        let short = try readSmall(
            request, as: account, at: now, after: pushed, page: Small.pageOnWriter, in: transaction)
        return short.answer.more ? nil : short
    }

    /// Reads a small answer. The records that the mutations named come in addition, so that it may become large.
    private func readSmall(
        _ request: SyncRequest, as account: AccountID, at now: Timestamp, after pushed: SyncRound.PushResult?,
        page most: Int = Small.page, in transaction: any Transaction
    ) throws -> Synced {
        var small = try SyncRound.pull(
            request, account: account, at: now, after: pushed, page: min(page, most), bytes: Small.bytes,
            tokens: tokens, in: transaction)
        small.isLarge = small.answer.count > Small.page || small.bytes > Small.bytes
        return small
    }

    /// ``sync(_:as:kind:at:lastOnline:)`` without waiting, for the simulation. The mutations are taken `part` by part,
    /// and nothing happens between two parts.
    package static func syncNow(
        _ request: SyncRequest, as account: AccountID, kind: String? = nil, at now: Timestamp, part: Int = .max,
        page: Int = Limits.page, bytes: Int = Limits.pageBytes, network: String? = nil,
        collections: Collections = .standard, tokens: TokenForm? = nil, on database: any ImmediateDatabase
    ) throws -> Synced {
        try RequestForm.check(request, from: account)
        var pushed: SyncRound.PushResult?
        var parts = RequestParts(request)
        var signals = Signals()
        while pushed == nil, !request.mutations.isEmpty {
            let part = try database.writeNow { [parts] transaction in
                try SyncRound.push(
                    parts.rest, account: account, at: now, part: part, network: network, collections: collections,
                    after: parts.named, in: transaction)
            }
            signals.formUnion(part.signals)
            pushed = parts.note(part)
            pushed?.signals = signals
        }
        var synced = try database.readNow { [pushed] transaction in
            try SyncRound.pull(
                request, account: account, at: now, after: pushed, page: page, bytes: bytes, tokens: tokens,
                in: transaction)
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
