package import KithModel

/// A round of a device: it takes the mutations of the request, and then reads the answer.
///
/// Each half is a synchronous function of the round and a transaction.
package struct SyncRound: Sendable {
    /// The device's request.
    package fileprivate(set) var request: SyncRequest
    /// The account of the device's session.
    package let account: AccountID
    /// How far the device has read, as its token says; nil if it reads everything.
    let position: ReadPosition?
    /// The server's time.
    package var now: Timestamp
    /// What applies to the round besides its request.
    let terms: Terms

    /// What applies to a round besides its request.
    package struct Terms: Sendable {
        /// The maximum number of bytes of an owner's records.
        let storage: Int
        /// The network of the device. Limits of what people send to others apply to it. If it is nil, none apply.
        let network: ClientNetwork?
        /// Finds when the account was last online. Each transaction that pushes calls it. If it is nil, what is stored
        /// counts.
        let lastOnline: LedgerNeeds.LastOnline?
        /// The collections that the server knows.
        let collections: Collections
        /// The form of the token in the answer; that of the database if nil.
        let tokens: TokenForm?

        package init(
            storage: Int = Limits.storage, network: ClientNetwork? = nil, lastOnline: LedgerNeeds.LastOnline? = nil,
            collections: Collections = .standard, tokens: TokenForm? = nil
        ) {
            self.storage = storage
            self.network = network
            self.lastOnline = lastOnline
            self.collections = collections
            self.tokens = tokens
        }
    }

    /// A round of `request`, on behalf of `account`.
    package init(_ request: SyncRequest, as account: AccountID, at now: Timestamp, under terms: Terms = Terms()) {
        self.request = request
        self.account = account
        self.position = ReadPosition(request.token, of: account)
        self.now = now
        self.terms = terms
    }

    /// The device that makes the round.
    var device: AccountDevice { AccountDevice(request.device, of: account) }

    /// The turn for which the push waits; nil if it waits for none.
    var turn: FeedTurn? {
        // The device's row exists once something was acknowledged.
        LedgerNeeds(request.mutations[...], of: account, terms.collections)
            .turn(of: request.device, of: account, hasSent: request.acknowledged.number > 0)
    }

    /// The rest of the round, as if the device knew that the mutations up to `acknowledged` were taken.
    func rest(after acknowledged: Acknowledgement) -> SyncRound {
        var rest = self
        rest.request.mutations.removeAll { $0.number <= acknowledged.number }
        rest.request.acknowledged = acknowledged
        return rest
    }
}

// MARK: - Taking mutations

extension SyncRound {
    /// What a push has asked for.
    private struct Asked {
        let ledger: Pending<Ledger>
        let revision: Pending<Revision>?
    }

    /// The first half of a round: takes the mutations of the request. The transaction commits after it.
    ///
    /// All affected data is read at once, judged in memory, and written in bulk. The number of statements does not grow
    /// with the number of mutations.
    ///
    /// - Parameters:
    ///   - hashes: The hashes of the mutations. If it is nil, they are computed here, while others may wait for the
    ///     transaction.
    ///   - part: The maximum number of new mutations that are taken, or more if a group would be split. The same call again
    ///     takes the next ones.
    ///   - earlier: The records of earlier parts of the same request, or none if it has none; nil if they are not known.
    ///   - transaction: The transaction that writes.
    /// - Throws: ``ServerError`` with the code `malformed` if the request continues a group that was already taken.
    /// - Returns: The result, which ``pull(after:size:in:)`` continues with.
    package func push(
        hashes: [String]? = nil, atMost part: Int = .max, after earlier: NamedRecords? = nil,
        in transaction: any Transaction
    ) throws -> PushResult {
        let numbers = try DeviceNumbers.lock(request.device, of: account, request.acknowledged.number, in: transaction)
        // Almost always, all mutations are new. Which of several parts is next is only known from the numbers.
        let all = request.mutations.count <= part ? try ask(for: request.mutations[...], in: transaction) : nil
        var device = try numbers.value()
        let hashes = hashes ?? request.mutations.map(\.hash)
        let report = Numbering.Report(acknowledged: request.acknowledged, sent: request.sent, hashes: hashes)
        let decision = device.numbering.decision(on: report)
        guard case .recognised(let start) = decision else {
            return PushResult(
                standing: decision.standing, acknowledged: device.acknowledged,
                outcomes: device.copies(decision, of: request))
        }
        let mutations = request.mutations[start...].prefix(keepingGroups: part)
        guard let first = mutations.first else {
            return PushResult(
                standing: .recognised, acknowledged: device.acknowledged(atMost: request.mutations.last?.number))
        }
        guard first.group.map({ $0 == first.number }) ?? true else {
            throw RequestForm.malformed(
                "mutations[\(start)].group", "This group was taken before, without this mutation.")
        }

        let asked = try (start == 0 ? all : nil) ?? ask(for: mutations, in: transaction)
        let ledger = try asked.ledger.value()
        let adapted = try withSeenFromBeforeRestore(mutations, on: ledger, in: transaction)
        let judgement = Judgement(of: adapted, by: account, on: ledger)
        let (signals, revision, feeds) = try judgement.ledger.write(at: asked.revision, in: transaction)
        // If this push takes the whole request, its outcomes are all that the device waits for. In PostgreSQL, the records
        // are read in any case (decision 0057); so they are if some of the mutations were taken before.
        let isWhole = mutations.count == request.mutations.count
        let known = start == 0 && !transaction.dialect.hasSeveralWriters ? earlier : nil
        try device.take(judgement.outcomes, hashes: hashes[mutations.indices], at: now, in: transaction)
        return PushResult(
            standing: .recognised, acknowledged: device.acknowledged,
            outcomes: isWhole ? judgement.outcomes.filter { $0.result != .applied } : nil,
            named: known.flatMap { NamedRecords(of: mutations, after: $0, in: judgement.ledger) }, feeds: feeds,
            signals: signals, revision: revision)
    }

    /// Asks for everything that the mutations may touch, and for the revision of the commit.
    private func ask(for mutations: ArraySlice<Mutation>, in transaction: any Transaction) throws -> Asked {
        var needs = LedgerNeeds(mutations, of: account, terms.collections)
        (needs.lastOnline, needs.network) = (terms.lastOnline, terms.network)
        if mutations.contains(where: \.change.writes) { needs.storage = Int64(terms.storage) }
        return Asked(
            ledger: try LedgerReader(
                needs: needs, account: account, now: now, device: request.device.tag, transaction: transaction
            ).ask(),
            revision: try Revision.askNext(in: transaction))
    }

    /// The mutations, with what they have seen adapted if the database was restored since the device has read it. The
    /// request's token is then of another epoch.
    ///
    /// The epoch is only read if the effect of a mutation depends on what the device has seen, which is rare.
    private func withSeenFromBeforeRestore(
        _ mutations: ArraySlice<Mutation>, on ledger: Ledger, in transaction: any Transaction
    ) throws -> ArraySlice<Mutation> {
        guard mutations.contains(where: { ledger.dependsOnSeen($0) }), let position,
            try position.epoch != Meta.epoch(in: transaction)
        else { return mutations }
        let adapted = mutations.map { mutation in
            ledger.live(RecordPlace(mutation.feed, mutation.record)).map {
                Merge.seenBeforeRestore(mutation, on: $0.state)
            } ?? mutation
        }
        return adapted[...]
    }
}

// MARK: - Reading the answer

extension SyncRound {
    /// The second half of a round: reads the answer from the single snapshot that `transaction` sees. The signals of
    /// the first half come with it.
    ///
    /// If nothing is new but what the push knows, this takes one query with one row.
    ///
    /// - Throws: ``ServerError`` with the code `accountClosed` if the account was deleted.
    package func pull(
        after pushed: PushResult?, size: AnswerSize = .whole, in transaction: any Transaction
    ) throws -> Synced {
        let tokens = terms.tokens ?? TokenForm(for: transaction.dialect)
        let reread = Set(request.reread ?? [])
        let isPartial = reread.isEmpty && tokens == .revisions
        // What the device has sent, and the result of it, does not depend on the rest.
        let pushedRecords = pushed?.named
        let askedRecords = pushedRecords == nil ? try NamedRecords.ask(by: request, for: account, in: transaction) : nil
        let askedOutcomes = try pushed.map { try askOutcomes($0, in: transaction) }
        let (head, selected) = try AnswerHead.read(
            request, account, after: pushed, since: isPartial ? position?.end : nil, in: transaction)
        let known = position.flatMap { $0.epoch == head.epoch ? $0 : nil }
        let news = try FeedNews(
            known == nil && position != nil ? FeedSelection(allOf: account).read(in: transaction) : selected,
            after: known, for: account, isPartial: isPartial, at: head, in: transaction)

        let records =
            if let pushedRecords, pushedRecords.areCurrent(in: selected) { pushedRecords } else {
                try (askedRecords ?? NamedRecords.ask(by: request, for: account, in: transaction)).value()
            }
        var reader = FeedReader(
            transaction, news.positions(in: head.epoch), knowing: records, budget: size.records,
            bytes: max(1, size.bytes - records.bytes))
        try reader.read(news.feeds.map(\.row), first: account.retyped(), reread: reread)
        let answer = SyncAnswer(
            account: account, time: now, epoch: head.epoch, device: head.push.standing,
            acknowledged: head.push.acknowledged,
            outcomes: try (askedOutcomes ?? askOutcomes(head.push, in: transaction)).value(),
            records: records.sorted, feeds: reader.answer, lost: news.lost,
            token: token(after: known, news, reader, in: head, as: tokens), more: reader.hasMore)
        return Synced(answer: answer, bytes: records.bytes + reader.bytesRead, signals: pushed?.signals ?? Signals())
    }

    /// The token of an answer.
    private func token(
        after known: ReadPosition?, _ news: FeedNews, _ reader: FeedReader, in head: AnswerHead, as form: TokenForm
    ) -> SyncToken {
        if form == .positions {
            var positions = reader.positions
            positions.isContinued = reader.hasMore
            return positions.token
        }
        if reader.hasMore {
            return RevisionPosition(
                epoch: head.epoch, account: account, revision: head.revision,
                feeds: news.fits(at: reader.positions, in: head.revision), others: news.others
            ).token
        }
        // As long as only others write, the token stays the same.
        if case .revisions(let position) = known, !position.isContinued, news.feeds.isEmpty, news.lost.isEmpty,
            head.revision.number - position.revision.number <= FeedSelection.nearbyRevisions / 2
        {
            return position.token
        }
        return RevisionPosition(epoch: head.epoch, account: account, revision: head.revision).token
    }

    /// The outcomes for the answer, which are read if `pushed` does not have them.
    private func askOutcomes(
        _ pushed: PushResult, in transaction: any Transaction
    ) throws -> Pending<[MutationOutcome]> {
        if let known = pushed.outcomes { return Pending { known } }
        let acknowledged = pushed.acknowledged
        guard acknowledged.number > request.acknowledged.number else { return Pending { [] } }
        return try transaction.ask(
            """
            SELECT number, result, code, detail FROM taken
            WHERE account = ? AND device = ? AND number > ? AND number <= ? AND result <> ? ORDER BY number
            """,
            [
                .id(account), .id(request.device), .integer(request.acknowledged.number),
                .integer(acknowledged.number), .text(MutationOutcome.Result.applied.rawValue),
            ]
        ).map { rows in try rows.map { try MutationOutcome($0, number: 0, result: 1) } }
    }
}

extension DeviceID {
    /// A short tag of the device, for stamps: the low 32 bits.
    package var tag: Int64 { Int64(uuid.halves.low & 0xFFFF_FFFF) }
}

extension ArraySlice<Mutation> {
    /// The first `count` elements, or more if a group would be split.
    fileprivate func prefix(keepingGroups count: Int) -> ArraySlice {
        var end = startIndex + Swift.min(count, self.count)
        while end < endIndex, let group = self[end].group, group != self[end].number { end += 1 }
        return self[..<end]
    }
}

extension Mutation.Change {
    /// Whether the mutation sets fields, so that a record may grow.
    fileprivate var writes: Bool { if case .edit(let set, _) = self { !set.isEmpty } else { false } }
}
