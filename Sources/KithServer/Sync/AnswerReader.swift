import KithModel

/// Reads the answers of rounds: on the connection that has written, as a small answer, or in the queue of large requests.
package struct AnswerReader: Sendable {
    /// The number of characters of the longest token with which SQLite reads an answer on its writing connection.
    package static let tokenOnWriter = 200

    let database: any Database
    /// The maximum number of records of an answer.
    let page: Int

    /// Whether the answer is first read as a small one, without the queue of large requests. An answer may be large if the
    /// device continues an incomplete one, or after a push of more mutations than a small answer has records.
    static func mayBeSmall(_ round: SyncRound) -> Bool {
        !(round.position?.isContinued ?? false) && round.request.mutations.count <= AnswerSize.small.records
    }

    /// Reads a small answer, which waits for nothing.
    func readSmall(_ round: SyncRound, after pushed: PushResult?) async throws -> Synced {
        try await database.peek { [page] transaction in
            try Self.readSmall(round, after: pushed, size: .small.limited(to: page), in: transaction)
        }
    }

    /// Reads a large answer, which waits in the queue. Without a queue, this reads every answer.
    func readWhole(
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
    func readAfterWriting(
        _ round: SyncRound, after pushed: PushResult, in transaction: any Transaction
    ) throws -> Synced? {
        guard TokenForm(for: transaction.dialect) == .revisions else {
            return try Self.readSmall(round, after: pushed, size: .small.limited(to: page), in: transaction)
        }
        guard let token = round.request.token, token.rawValue.utf8.count <= Self.tokenOnWriter,
            case .revisions(let position) = round.position, round.request.reread?.isEmpty ?? true,
            pushed.revision > .zero,
            (0...FeedSelection.nearbyRevisions).contains(pushed.revision.number - position.revision.number)
        else { return nil }
        let short = try Self.readSmall(round, after: pushed, size: .onWriter.limited(to: page), in: transaction)
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
}

extension SyncAnswer {
    /// The number of records, and of lists that the account has lost.
    fileprivate var count: Int {
        feeds.reduce(records.count + lost.count) { sum, feed in
            let paged = feed.page?.columns.reduce(0) { $0 + $1.sequences.count } ?? 0
            return sum + feed.changes.count + paged
        }
    }
}
