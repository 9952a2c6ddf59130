import GRDB
package import KithModel

/// The two halves of a round that touch the replica: the request, and the answer's effect.
///
/// Synchronous, without network: the engine's shell and the simulation drive the same code.
package struct Rounds: Sendable {
    package let replica: Replica

    package init(replica: Replica) {
        self.replica = replica
    }

    /// What the next step is, once an answer has been applied.
    package enum Next: Hashable, Sendable {
        /// Nothing is left to do for now.
        case done
        /// The server has more, or more waits: another round at once.
        case again
        /// The replica has moved on since the request was made: the answer was dropped.
        case stale
    }

    /// The next request, or nil if there is no session to speak for.
    ///
    /// What it carries is numbered, and in flight from here on, whether or not it
    /// is ever sent. A round with nothing to send writes nothing here.
    package func begin() throws -> SyncRequest? {
        let account = try replica.readNow { _, account in account }
        guard account.id != nil, account.state.isSignedIn else { return nil }
        if try replica.readNow({ try Outbox(db: $0, account: $1.key).hasUnnumbered() }) {
            try replica.writeNow { transaction in
                try transaction.outbox.number(transaction.account.batch, sent: &transaction.account.sent)
            }
        }
        let now = replica.dependencies.now()
        return try replica.readNow { db, account in
            guard let id = account.id else { return nil }
            let outbox = Outbox(db: db, account: account.key)
            let batch = try outbox.batch(of: account.batch).filter { $0.number != nil }
            return SyncRequest(
                account: id, device: account.device, acknowledged: account.acknowledged, sent: account.sent,
                mutations: batch.travelling(from: id, at: now), token: account.token,
                reread: try doubtfulFeeds(db, account))
        }
    }

    /// Feeds whose digest differed from the server's when they were last read.
    private func doubtfulFeeds(_ db: Database, _ account: ReplicaAccount) throws -> [FeedID]? {
        let stored = try FeedID.fetchAll(
            db.cachedStatement(sql: "SELECT id FROM feed WHERE account = ? AND isDoubtful ORDER BY id"),
            arguments: [account.key])
        let feeds = stored.map { feed in
            feed == .own ? account.id.map { $0.retyped(as: Feed.self) } ?? feed : feed
        }
        return feeds.isEmpty ? nil : feeds
    }

    /// Applies the answer to `request`, if the replica is still as it was when the request was made.
    package func finish(_ request: SyncRequest, _ answer: SyncAnswer) throws -> Next {
        try replica.writeNow(origin: .server) { transaction in
            let account = transaction.account
            guard account.id == request.account, account.device == request.device, account.token == request.token,
                account.acknowledged == request.acknowledged, answer.account == request.account
            else { return .stale }
            // A late answer to an earlier attempt: the server had taken what a later one carried.
            if answer.device == .copied && account.sent != request.sent { return .stale }
            transaction.account.schedule.succeed()
            transaction.account.error = nil
            if account.state == .serverError { transaction.account.state = .anonymous }
            if let old = transaction.account.epoch, old != answer.epoch { try transaction.doubtWhatWasSentBeside() }
            switch answer.device {
            case .recognised:
                let isWhole = try AnswerPlan(answer, to: request).apply(in: transaction)
                transaction.account.batch = Limits.mutations
                let waits = try !transaction.outbox.isEmpty()
                return answer.more || waits || !isWhole ? .again : .done
            case .copied where account.epoch == nil || account.epoch == answer.epoch:
                try becomeAnother(answer, in: transaction)
            case .copied, .forgotten:
                try recall(answer, in: transaction)
            }
            transaction.account.token = nil
            transaction.account.epoch = answer.epoch
            return .again
        }
    }

    /// This replica is a copy of another: what the server has taken of it leaves
    /// the outbox, the rest is sent again under a new identity.
    private func becomeAnother(_ answer: SyncAnswer, in transaction: ReplicaTransaction) throws {
        let outcomes = Dictionary(answer.outcomes.map { ($0.number, $0) }) { first, _ in first }
        let unsent = try transaction.outbox.unsent()
        for mutation in unsent {
            guard let outcome = mutation.number.flatMap({ outcomes[$0] }) else { continue }
            if let refusal = outcome.refusal {
                try transaction.reject(mutation, refusal.code, refusal.sentence)
            }
            try transaction.outbox.withdraw([mutation])
        }
        try transaction.renumber()
    }

    /// The server was restored from a backup: the log is put before it once more, under its old numbers, and it
    /// takes what it has forgotten. Of what it still has it checks the hashes, so that a copy is noticed even if
    /// the other copy spoke first.
    private func recall(_ answer: SyncAnswer, in transaction: ReplicaTransaction) throws {
        let kept = answer.acknowledged.number
        if let first = try transaction.outbox.firstLogged(), first <= kept + 1,
            try transaction.outbox.recall(
                from: first, through: transaction.account.acknowledged.number, forgottenAfter: kept)
        {
            transaction.account.acknowledged = Acknowledgement(number: first - 1, hash: "")
        } else {
            // The log does not reach back to what the server has: what there is of it goes under new numbers.
            try transaction.renumber(recallingAfter: kept)
        }
    }

    /// Notes that a round has failed, and when it is tried again.
    ///
    /// - Returns: Whether to try again at once, with fewer mutations.
    package func fail(_ error: KithError, of request: SyncRequest) throws -> Bool {
        try fail(error, by: request.device, mutations: request.mutations)
    }

    /// The same, of a device's attempt to open a session if it carried no `mutations`.
    ///
    /// If another account has become the current one meanwhile, the failure is none of its concern.
    package func fail(_ error: KithError, by device: DeviceID, mutations: [Mutation] = []) throws -> Bool {
        try replica.writeNow { transaction in
            guard transaction.account.device == device else { return false }
            if error.isAboutNumbers {
                try transaction.renumber()
            } else if error.isAboutContent, let last = mutations.last {
                let isSmallest = mutations.first?.group == last.group && (last.group != nil || mutations.count == 1)
                if !isSmallest {
                    transaction.account.batch = max(1, mutations.count / 2)
                    return true
                }
                if try withhold(upTo: last.number, error, in: transaction) { return true }
                // Their content is gone, and the server still cannot read them: they go with their numbers.
                try transaction.renumber()
            }
            transaction.account.error = (error.code.rawValue, error.sentence)
            let isReplaced = try transaction.isReplaced(after: error)
            if error.code == .unauthorized { transaction.account.state = isReplaced ? .initial : .invalidToken }
            if error.code == .accountClosed { transaction.account.state = .inactive }
            if ![.unauthorized, .accountClosed].contains(error.code) || isReplaced {
                var random = transaction.dependencies.random
                transaction.account.schedule.fail(at: transaction.now, retryAfter: error.retryAfter, using: &random)
            }
            let isFailing = error.code == .busy || error.code == .refused || error.code == .malformed
            if transaction.account.state == .anonymous && isFailing && transaction.account.schedule.isSlow {
                transaction.account.state = .serverError
            }
            return false
        }
    }

    /// The server cannot read even this smallest part of what waits: it becomes rejections, and blocks nothing.
    ///
    /// - Returns: Whether there was content left to withhold.
    private func withhold(upTo number: Int64, _ error: KithError, in transaction: ReplicaTransaction) throws -> Bool {
        let mutations = try transaction.outbox.inFlight(upTo: number)
        for mutation in mutations { try transaction.reject(mutation, .invalid, error.sentence) }
        try transaction.outbox.void(after: 0, through: number)
        return mutations.contains { $0.change != .set([:]) }
    }
}

extension ReplicaTransaction {
    /// Sends what waits under new numbers, as a new device. What was rejected is not sent again.
    fileprivate func renumber(recallingAfter number: Int64? = nil) throws {
        try outbox.renumber(recallingAfter: number)
        account.takeNewDevice(dependencies.makeID())
    }

    /// Whether a new anonymous session opens in place of this one: if the server itself has said that it is over, or if
    /// nothing on the server is tied to it.
    fileprivate func isReplaced(after error: KithError) throws -> Bool {
        guard error.code == .unauthorized, !isPinned, [.anonymous, .serverError].contains(account.state) else {
            return false
        }
        return try error.cause is Problem || !account.hasSyncedRecords(db)
    }
}

extension KithError {
    /// Whether the server refused a request for its numbers: no edit is at fault.
    fileprivate var isAboutNumbers: Bool {
        guard let problem = cause as? Problem, problem.code == .malformed, let path = problem.path else { return false }
        return path.hasPrefix("$.acknowledged") || path == "$.sent"
            || (path.hasPrefix("$.mutations[") && path.hasSuffix("].number"))
    }

    /// Whether the server refused a request for what it carries, so that another attempt would end alike.
    fileprivate var isAboutContent: Bool {
        code == .tooMany || (code == .refused && (cause as? Problem)?.code == .malformed)
    }
}
