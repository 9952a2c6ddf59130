package import KithModel

/// The two halves of a round. Each is a synchronous function of the request, the time and a transaction.
package enum SyncRound {
    /// The result of a push, which the pull continues with.
    package struct PushResult: Hashable, Sendable {
        /// Whether the server's knowledge of the device agrees with the device's own.
        package var standing: DeviceStanding
        /// The last number that is taken from the device now. A copy that uses the same identity may send more before
        /// the answer is read; this device must not learn of that.
        package var acknowledged: Acknowledgement
        /// The outcomes for the answer. For a copy, they are those of its mutations that were taken; otherwise those of all
        /// mutations that the device does not know to be taken, without the applied ones. Nil if they are to be read.
        package var outcomes: [MutationOutcome]?
        /// The records that the mutations have named, with those of earlier parts, as the push has left them; nil if they
        /// are to be read.
        package var named: NamedRecords?
        /// The signals to send.
        package var signals = Signals()
        /// The revision of the changes; zero if nothing has changed.
        package var revision = Revision.zero

        /// Whether every mutation of the request was taken.
        func isComplete(for request: SyncRequest) -> Bool {
            standing != .recognised || request.mutations.allSatisfy { $0.number <= acknowledged.number }
        }
    }
}

// MARK: - Taking mutations

extension SyncRound {
    /// What a push has asked for.
    private struct Asked {
        let ledger: Pending<Ledger>
        let revision: Pending<Revision>?
    }

    /// The first half of a round: takes the mutations of a request. The transaction commits after it.
    ///
    /// All affected data is read at once, judged in memory, and written in bulk. The number of statements does not grow
    /// with the number of mutations. The `hashes` of the mutations can be computed before the transaction begins. At
    /// most `part` new mutations are taken, or more if a group would be split; the same call again takes the next ones.
    /// `lastOnline` finds when the account was last online; if it is nil, that is read. `storage` is the maximum number
    /// of bytes of an owner's records. `network` is that of the device, as text. `collections` are those that the
    /// server knows. `earlier` are the records of earlier parts of the same request, or none if it has none; nil if
    /// they are not known.
    ///
    /// - Throws: ``ServerError`` with the code `malformed` if the request continues a group that was already taken.
    package static func push(
        _ request: SyncRequest, account: AccountID, at now: Timestamp, lastOnline: LedgerNeeds.LastOnline? = nil,
        hashes: [String]? = nil, part: Int = .max, storage: Int = Limits.storage, network: String? = nil,
        collections: Collections = .standard, after earlier: NamedRecords? = nil, in transaction: any Transaction
    ) throws -> PushResult {
        func ask(_ mutations: ArraySlice<Mutation>) throws -> Asked {
            var needs = LedgerNeeds(mutations, of: account, collections)
            (needs.lastOnline, needs.network) = (lastOnline, network)
            if mutations.contains(where: \.change.writes) { needs.storage = Int64(storage) }
            return Asked(
                ledger: try Ledger.ask(needs, for: account, at: now, device: request.device.tag, in: transaction),
                revision: try Revision.askNext(in: transaction))
        }

        let numbers = try DeviceNumbers.lock(request.device, of: account, request.acknowledged.number, in: transaction)
        // Almost always, all mutations are new. Which of several parts is next is only known from the numbers.
        let all = request.mutations.count <= part ? try ask(request.mutations[...]) : nil
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
            return PushResult(standing: .recognised, acknowledged: device.acknowledged)
        }
        guard first.group.map({ $0 == first.number }) ?? true else {
            throw RequestForm.malformed(
                "mutations[\(start)].group", "This group was taken before, without this mutation.")
        }

        let asked = try (start == 0 ? all : nil) ?? ask(mutations)
        let ledger = try asked.ledger.value()
        var judgement = Judgement(ledger, by: account)
        judgement.take(try withSeenFromBeforeRestore(mutations, of: request, account, on: ledger, in: transaction))
        let (signals, revision) = try judgement.ledger.write(at: asked.revision, in: transaction)
        // If this push takes the whole request, its outcomes are all that the device waits for. In PostgreSQL, the records
        // are read in any case (decision 0057); so they are if some of the mutations were taken before.
        let isWhole = mutations.count == request.mutations.count
        let known = start == 0 && !transaction.dialect.locksRows ? earlier : nil
        try device.take(judgement.outcomes, hashes: hashes[mutations.indices], at: now, in: transaction)
        return PushResult(
            standing: .recognised, acknowledged: device.acknowledged,
            outcomes: isWhole ? judgement.outcomes.filter { $0.result != .applied } : nil,
            named: known.flatMap { NamedRecords(of: mutations, after: $0, in: judgement.ledger) },
            signals: signals, revision: revision)
    }

    /// The mutations, with what they have seen adapted if the database was restored since the device has read it. The
    /// request's token is then of another epoch.
    ///
    /// The epoch is only read if the effect of a mutation depends on what the device has seen, which is rare.
    private static func withSeenFromBeforeRestore(
        _ mutations: ArraySlice<Mutation>, of request: SyncRequest, _ account: AccountID, on ledger: Ledger,
        in transaction: any Transaction
    ) throws -> ArraySlice<Mutation> {
        guard mutations.contains(where: ledger.dependsOnSeen), let position = ReadPosition(request.token, of: account),
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
    /// If nothing is new, this takes one query with one row. The answer has at most `page` new records. It ends with the record
    /// whose fields reach the limit of `bytes`; the records that the mutations named count too. Its token has the form
    /// `tokens`, or that of the database.
    ///
    /// - Throws: ``ServerError`` with the code `accountClosed` if the account was deleted.
    package static func pull(
        _ request: SyncRequest, account: AccountID, at now: Timestamp, after pushed: PushResult?,
        page: Int = Limits.page, bytes: Int = Limits.pageBytes, tokens: TokenForm? = nil,
        in transaction: any Transaction
    ) throws -> Synced {
        let tokens = tokens ?? TokenForm(for: transaction.dialect)
        let reread = Set(request.reread ?? [])
        let isPartial = reread.isEmpty && tokens == .revisions
        let requested = ReadPosition(request.token, of: account)
        // What the device has sent, and the result of it, does not depend on the rest.
        let pushedRecords = pushed?.named
        let askedRecords = pushedRecords == nil ? try NamedRecords.ask(by: request, for: account, in: transaction) : nil
        let askedOutcomes = try pushed.map { try askOutcomes($0, of: request, account, in: transaction) }
        let (head, selected) = try AnswerHead.read(
            request, account, after: pushed,
            with: FeedNews.selection(after: requested, for: account, isPartial: isPartial), in: transaction)
        let known = requested.flatMap { $0.epoch == head.epoch ? $0 : nil }
        let news = try FeedNews(
            known == nil && requested != nil ? FeedSelection(allOf: account).read(in: transaction) : selected,
            after: known, for: account, isPartial: isPartial, at: head, in: transaction)

        let records =
            if let pushedRecords, pushedRecords.areCurrent(in: selected) { pushedRecords } else {
                try (askedRecords ?? NamedRecords.ask(by: request, for: account, in: transaction)).value()
            }
        var reader = FeedReader(
            transaction, news.positions(in: head.epoch), knowing: records, budget: page,
            bytes: max(1, bytes - records.bytes))
        try reader.read(news.feeds.map(\.row), first: account.retyped(), reread: reread)
        let answer = SyncAnswer(
            account: account, time: now, epoch: head.epoch, device: head.push.standing,
            acknowledged: head.push.acknowledged,
            outcomes: try (askedOutcomes ?? askOutcomes(head.push, of: request, account, in: transaction)).value(),
            records: records.sorted, feeds: reader.answer, lost: news.lost,
            token: token(for: account, known, news, reader, in: head, as: tokens), more: reader.hasMore)
        return Synced(answer: answer, bytes: records.bytes + reader.bytesRead, signals: pushed?.signals ?? Signals())
    }

    /// The token of an answer.
    private static func token(
        for account: AccountID, _ known: ReadPosition?, _ news: FeedNews, _ reader: FeedReader, in head: AnswerHead,
        as form: TokenForm
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
    private static func askOutcomes(
        _ pushed: PushResult, of request: SyncRequest, _ account: AccountID, in transaction: any Transaction
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
