package import KithModel

/// The two parts of a round that use the replica: they create the request and apply the answer.
///
/// They are synchronous and do not use the network. The engine and the simulation run the same code.
package struct Rounds: Sendable {
    package let replica: Replica

    package init(replica: Replica) {
        self.replica = replica
    }

    /// The next step after an answer was applied.
    package enum Next: Hashable, Sendable {
        /// Nothing is left to do for now.
        case done
        /// The server has more to read, or more edits wait: another round starts at once.
        case again
        /// The replica has changed since the request was created, so the answer was dropped.
        case stale
    }

    /// The next request, or nil without a session.
    ///
    /// Its mutations get numbers and count as in flight from here on, even if the request is never sent. A round with
    /// nothing to send writes nothing here.
    package func begin() throws -> SyncRequest? { try attempt()?.request }

    /// The next request, and the numbers that its mutations have got for it.
    func attempt() throws -> (request: SyncRequest, numbered: Range<Int64>)? {
        let (mustNumber, ready) = try replica.readNow { reading -> (Bool, SyncRequest?) in
            guard reading.account.id != nil, reading.account.state.isSignedIn else { return (false, nil) }
            if try reading.store.outbox.hasUnnumbered() { return (true, nil) }
            return (false, try request(reading))
        }
        guard mustNumber else { return ready.map { ($0, 0..<0) } }
        // Another client of the replica can have given numbers since the account was read.
        let numbered = try replica.writeNow { transaction in
            let first = transaction.account.sent + 1
            try transaction.outbox.number(transaction.account.batch, sent: &transaction.account.sent)
            return first..<transaction.account.sent + 1
        }
        return try replica.readNow(request).map { ($0, numbered) }
    }

    /// The request with those mutations that have numbers, or nil without an account.
    private func request(_ reading: ReplicaReading) throws -> SyncRequest? {
        let (store, account) = (reading.store, reading.account)
        guard let id = account.id else { return nil }
        let batch = try store.outbox.batch(of: account.batch).filter { $0.number != nil }
        let doubtful = try FeedDigests(store).doubtful().map { $0.id(inMessagesOf: id) }
        return SyncRequest(
            account: id, device: account.device, acknowledged: account.acknowledged, sent: account.sent,
            mutations: batch.asSent(by: id, at: replica.dependencies.now()), token: account.token,
            reread: doubtful.isEmpty ? nil : doubtful, kind: account.session.kind)
    }

    /// Applies the answer to `request`, if the replica has not changed since the request was created.
    ///
    /// If the request asked the server about mutations that a proxy has refused, they become rejections if the server had
    /// not taken them when it answered.
    ///
    /// - Throws: ``KithError`` with the code `tooMany` if the server may have them, so that they wait for a network that lets
    ///   them through; or if the proxy refuses them even without content. ``fail(_:of:)`` must follow.
    package func finish(_ request: SyncRequest, _ answer: SyncAnswer) throws -> Next {
        let (next, failure) = try replica.writeNow(origin: .server) { try finish(request, answer, in: $0) }
        if let failure { throw failure }
        return next
    }

    /// - Returns: The next step, and the failure that is stored.
    private func finish(
        _ request: SyncRequest, _ answer: SyncAnswer, in transaction: ReplicaTransaction
    ) throws -> (Next, KithError?) {
        let account = transaction.account
        guard account.id == request.account, account.device == request.device, account.token == request.token,
            account.acknowledged == request.acknowledged, answer.account == request.account
        else { return (.stale, nil) }
        // This is a late answer to an earlier attempt: the server had already acknowledged mutations of a later attempt.
        if answer.device == .copied && account.sent != request.sent { return (.stale, nil) }
        let refused = try numberAsked(by: request, in: transaction)
        // The answer to a request without mutations does not say whose the server has: those in flight here, or those that a
        // copy of this replica has sent under the same numbers.
        if request.mutations.isEmpty, answer.acknowledged.number > request.acknowledged.number,
            answer.device != .forgotten, account.epoch == nil || account.epoch == answer.epoch,
            try transaction.outbox.hasNumbered()
        {
            guard refused == nil else { throw KithError.waitsForAnotherNetwork }
            return (.stale, nil)
        }
        if refused == nil {
            transaction.handle(.succeeded)
            transaction.account.error = nil
        }
        // If this device has learnt the kind since the request, the answer may be older.
        if let kind = answer.kind, account.session.kind == request.kind {
            transaction.handle(.accepted(isIdentified: kind == SessionMachine.identified))
        }
        if let old = transaction.account.epoch, old != answer.epoch { try transaction.resendDataOutsideFeeds() }
        transaction.account.batch = max(1, account.batch)
        switch answer.device {
        case .recognised:
            try AnswerPlan(answer, to: request).apply(in: transaction)
            if let refused, try !setAside(upTo: refused, .refusedByProxy, in: transaction) {
                try note(.refusedByProxy, in: transaction)
                return (.done, .refusedByProxy)
            }
            transaction.account.batch = Limits.mutations
            let waits = try !transaction.outbox.isEmpty()
            return (answer.more || waits ? .again : .done, nil)
        case .copied where account.epoch == nil || account.epoch == answer.epoch:
            try becomeAnother(answer, to: request, in: transaction)
            transaction.account.token = nil
        case .copied, .forgotten:
            try recall(answer, to: request, in: transaction)
            // The old token tells the server that the sequences that the mutations have seen are of an earlier epoch.
            // A token of another epoch counts as none otherwise.
            transaction.account.token = account.epoch == answer.epoch ? nil : account.token
        }
        transaction.account.epoch = answer.epoch
        return (.again, nil)
    }

    /// The last number of the mutations about which a request has asked the server, because a proxy has refused them; nil if it
    /// has not asked.
    private func numberAsked(by request: SyncRequest, in transaction: ReplicaTransaction) throws -> Int64? {
        let account = transaction.account
        guard account.batch == 0, request.mutations.isEmpty, request.sent == account.sent else { return nil }
        return try transaction.outbox.batch(of: 1).last?.number
    }

    /// Handles the case that this replica is a copy of another. Acknowledged mutations leave the outbox, and the others
    /// are sent again under a new device identity.
    ///
    /// The answer does not say what became of mutations in flight that the request did not contain. If the other copy has sent
    /// everything of the request, another request of the same device asks about them. Otherwise they are not asked about:
    /// repeating a set or a deletion does no harm, and an addition whose number was taken becomes a rejection, because it may
    /// count already.
    private func becomeAnother(
        _ answer: SyncAnswer, to request: SyncRequest, in transaction: ReplicaTransaction
    ) throws {
        let outcomes = Dictionary(answer.outcomes.map { ($0.number, $0) }) { first, _ in first }
        let unsent = try transaction.outbox.unsent()
        for mutation in unsent {
            guard let outcome = mutation.number.flatMap({ outcomes[$0] }) else { continue }
            if let rejection = outcome.rejection {
                try transaction.reject(mutation, rejection.code, rejection.sentence)
            }
            try transaction.outbox.withdraw([mutation])
        }
        let last = request.mutations.last?.number ?? request.acknowledged.number
        func isDoubtful(_ mutation: StoredMutation) -> Bool {
            mutation.number.map { last < $0 && $0 <= answer.acknowledged.number } ?? false
        }
        if last > request.acknowledged.number, request.mutations.allSatisfy({ outcomes[$0.number] != nil }),
            unsent.contains(where: isDoubtful)
        {
            // The other copy has sent all of these. The next request asks about those that follow.
            transaction.account.acknowledged = Acknowledgement(number: last, hash: "")
            return
        }
        let additions = unsent.additions(where: isDoubtful)
        for mutation in additions {
            try transaction.reject(
                mutation, .repeated, "This may have counted already, on the device that this one was copied from.")
        }
        try transaction.outbox.withdraw(additions)
        try transaction.renumber()
    }

    /// Handles the case that the server was restored from a backup. The log is sent again under its old numbers. The
    /// server applies the mutations that it has lost, and checks the hashes of those that it has. This also detects a
    /// copy of this replica that was first to send.
    private func recall(_ answer: SyncAnswer, to request: SyncRequest, in transaction: ReplicaTransaction) throws {
        let kept = answer.acknowledged.number
        if let first = try transaction.outbox.firstLogged(), first <= kept + 1,
            try transaction.outbox.recall(
                from: first, through: transaction.account.acknowledged.number, forgottenAfter: kept)
        {
            transaction.account.acknowledged = Acknowledgement(number: first - 1, hash: "")
        } else if answer.device == .copied {
            try becomeAnother(answer, to: request, in: transaction)
        } else {
            // The log does not reach back to the server's last number, so its mutations are sent under new numbers.
            try transaction.renumber(recallingAfter: kept)
        }
    }

    /// Stores that a round has failed, and when the next attempt is due.
    ///
    /// - Returns: Whether to try again at once, with fewer mutations.
    package func fail(_ error: KithError, of request: SyncRequest) throws -> Bool {
        try fail(error, by: request.device, mutations: request.mutations)
    }

    /// Stores that an attempt of a device has failed. Without `mutations` it was an attempt to open a session.
    ///
    /// If another account has become the current one meanwhile, the failure is ignored.
    ///
    /// `numbered` are the numbers that were given for this attempt. If the server has refused the token of an anonymous
    /// account, it has taken none of their mutations. They lose their numbers, so that they can move to the account that
    /// replaces it. If another client of the replica has given higher numbers since, all stay, because the numbers have no
    /// gaps. They also stay in an identified account, to which its user signs in again: a network can send a request
    /// twice, and the server may have taken the first one.
    package func fail(
        _ error: KithError, by device: DeviceID, mutations: [Mutation] = [], numbered: Range<Int64> = 0..<0
    ) throws -> Bool {
        try replica.writeNow { transaction in
            guard transaction.account.device == device else { return false }
            if let first = numbered.first, numbered.last == transaction.account.sent, error.code == .unauthorized,
                error.isAnswerOfServer, !transaction.account.session.isIdentified
            {
                // Another client may have sent some of them, too, before the token was refused.
                let taken = max(first - 1, transaction.account.acknowledged.number)
                try transaction.outbox.unnumber(after: taken)
                transaction.account.sent = taken
            }
            if error.isAboutNumbers {
                try transaction.renumber()
            } else if error.isAboutContent || error.isAboutTime, let last = mutations.last {
                let isSmallest = mutations.first?.group == last.group && (last.group != nil || mutations.count == 1)
                if !isSmallest {
                    transaction.account.batch = max(1, mutations.count / 2)
                    return true
                }
                // A proxy does not know whether an earlier request has reached the server, so the server is asked first.
                if error.isAboutContent && !error.isAnswerOfServer {
                    // Another client of the replica may have sent them meanwhile.
                    let isNext = try transaction.outbox.batch(of: 1).last?.number == last.number
                    if isNext { transaction.account.batch = 0 }
                    return true
                }
                // What was too slow can arrive in time later, so it keeps waiting.
                if error.isAboutContent, try setAside(upTo: last.number, error, in: transaction) { return true }
            } else if transaction.account.batch == 0 {
                // The server was asked in vain, so the edits are sent again before it is asked again.
                transaction.account.batch = 1
            }
            try note(error, in: transaction)
            return false
        }
    }

    /// Stores why a round has failed, and when the next attempt is due.
    private func note(_ error: KithError, in transaction: ReplicaTransaction) throws {
        transaction.account.error = (error.code.rawValue, error.sentence)
        transaction.handle(try transaction.event(of: error))
    }

    /// Turns edits into rejections if even this smallest part of the outbox is refused, so that they do not block other
    /// edits. If they already change nothing, they are dropped together with their numbers.
    ///
    /// - Returns: Whether any of them would have changed something.
    private func setAside(upTo number: Int64, _ error: KithError, in transaction: ReplicaTransaction) throws -> Bool {
        let mutations = try transaction.outbox.inFlight(upTo: number)
        for mutation in mutations { try transaction.reject(mutation, .invalid, error.sentence) }
        try transaction.outbox.emptyRejected(after: 0, through: number)
        let wereEdits = mutations.contains { $0.change != .set([:]) }
        if !wereEdits { try transaction.renumber() }
        return wereEdits
    }
}

extension ReplicaTransaction {
    /// Sends the unsent mutations under new numbers, as a new device. Rejected mutations are not sent again.
    fileprivate func renumber(recallingAfter number: Int64? = nil) throws {
        if try outbox.renumber(recallingAfter: number) { account.token = nil }
        account.takeNewDevice(dependencies.makeID())
    }

    /// What a failure means for the session.
    ///
    /// A refused token is replaceable if the server itself has refused it, or if the server has no records of the
    /// account. A pinned client never opens another session.
    fileprivate func event(of error: KithError) throws -> SessionMachine.Event {
        switch error.code {
        case .unauthorized:
            .refused(isReplaceable: try !isPinned && (error.isAnswerOfServer || !account.hasSyncedRecords(db)))
        case .accountClosed: .closed
        case .busy, .refused, .malformed: .failed(retryAfter: error.retryAfter)
        default: .unreachable(retryAfter: error.retryAfter)
        }
    }
}
