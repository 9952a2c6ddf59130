package import KithModel

/// The two halves of a round. Each is a synchronous function of the request, the time and a transaction.
package enum SyncRound {
    /// The result of the first half, for the second.
    package struct Pushed: Hashable, Sendable {
        /// Whether the server's knowledge of the device agrees with the device's own.
        package var standing: DeviceStanding
        /// The last number that is taken from the device now. A copy that uses the same identity may send more before
        /// the answer is read; this device must not learn of that.
        package var acknowledged: Acknowledgement
        /// For a copy, those of its mutations that were taken, with their outcomes; otherwise empty.
        package var copies: [MutationOutcome]
        /// The signals to send.
        package var signals = Signals()

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
    /// `seen` is when the account was last online, if that is not stored yet. `storage` is the maximum number of bytes
    /// of an owner's records. `network` is that of the device, as text. `collections` are those that the server knows.
    ///
    /// - Throws: ``ServerError`` with the code `malformed` if the request continues a group that was already taken.
    package static func push(
        _ request: SyncRequest, account: AccountID, at now: Timestamp, seen: Timestamp? = nil, hashes: [String]? = nil,
        part: Int = .max, storage: Int = Limits.storage, network: String? = nil, collections: Collections = .standard,
        in transaction: any Transaction
    ) throws -> Pushed {
        func ask(_ mutations: ArraySlice<Mutation>) throws -> Asked {
            var needs = LedgerNeeds(mutations, of: account, collections)
            (needs.seen, needs.network) = (seen, network)
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
            return Pushed(
                standing: decision.standing, acknowledged: device.acknowledged,
                copies: device.copies(decision, of: request))
        }
        let mutations = request.mutations[start...].prefix(keepingGroups: part)
        guard let first = mutations.first else {
            return Pushed(standing: .recognised, acknowledged: device.acknowledged, copies: [])
        }
        guard first.group.map({ $0 == first.number }) ?? true else {
            throw RequestForm.malformed(
                "mutations[\(start)].group", "This group was taken before, without this mutation.")
        }

        let asked = try start == 0 ? all ?? ask(mutations) : ask(mutations)
        var judgement = Judgement(try asked.ledger.value(), by: account)
        judgement.take(mutations)
        let signals = try judgement.ledger.write(at: asked.revision, in: transaction)
        try device.take(judgement.outcomes, hashes: hashes[mutations.indices], at: now, in: transaction)
        return Pushed(
            standing: .recognised, acknowledged: device.acknowledged, copies: [], signals: signals)
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
        _ request: SyncRequest, account: AccountID, at now: Timestamp, after pushed: Pushed?,
        page: Int = Limits.page, bytes: Int = Limits.pageBytes, tokens: TokenForm? = nil,
        in transaction: any Transaction
    ) throws -> Synced {
        let tokens = tokens ?? TokenForm(for: transaction.dialect)
        let reread = Set(request.reread ?? [])
        let isPartial = reread.isEmpty && tokens == .revisions
        let asked = ReplicaPlace(request.token, of: account)
        // What the device has sent, and what became of it, does not depend on the rest.
        let named = try askNamed(by: request, for: account, in: transaction)
        let taken = try pushed.flatMap { pushed in
            pushed.standing != .recognised
                ? nil : try askOutcomes(of: request, account, upTo: pushed.acknowledged, in: transaction)
        }
        let (head, selected) = try AnswerHead.read(
            request, account, with: FeedNews.selection(after: asked, for: account, isPartial: isPartial),
            in: transaction)
        let standing = pushed?.standing ?? head.standing
        let acknowledged = pushed?.acknowledged ?? head.acknowledged
        let known = asked.flatMap { $0.epoch == head.epoch ? $0 : nil }
        let news = try FeedNews(
            known == nil && asked != nil ? FeedSelection(allOf: account).read(in: transaction) : selected,
            after: known, for: account, isPartial: isPartial, at: head, in: transaction)

        let records = try named.value()
        let recordBytes = records.reduce(0) { $0 + $1.bytes }
        var reader = FeedReader(
            transaction, news.place(in: head.epoch), knowing: records, budget: page,
            bytes: max(1, bytes - recordBytes))
        try reader.read(news.feeds.map(\.row), first: account.retyped(), reread: reread)
        let answer = SyncAnswer(
            account: account, time: now, epoch: head.epoch, device: standing, acknowledged: acknowledged,
            outcomes: standing == .recognised
                ? try (taken ?? askOutcomes(of: request, account, upTo: acknowledged, in: transaction)).value()
                : pushed?.copies ?? [],
            records: records.map(\.record), feeds: reader.answer, lost: news.lost,
            token: token(for: account, known, news, reader, in: head, as: tokens), more: reader.hasMore)
        return Synced(answer: answer, bytes: recordBytes + reader.bytesRead, signals: pushed?.signals ?? Signals())
    }

    /// The token of an answer.
    private static func token(
        for account: AccountID, _ known: ReplicaPlace?, _ news: FeedNews, _ reader: FeedReader, in head: AnswerHead,
        as form: TokenForm
    ) -> SyncToken {
        if form == .positions {
            var place = reader.place
            place.isContinued = reader.hasMore
            return place.token
        }
        if reader.hasMore {
            return RevisionPlace(
                epoch: head.epoch, account: account, revision: head.revision,
                feeds: news.fits(at: reader.place, in: head.revision), others: news.others
            ).token
        }
        // As long as only others write, the token stays the same.
        if case .revisions(let place) = known, !place.isContinued, news.feeds.isEmpty, news.lost.isEmpty,
            head.revision.number - place.revision.number <= FeedSelection.walk / 2
        {
            return place.token
        }
        return RevisionPlace(epoch: head.epoch, account: account, revision: head.revision).token
    }

    /// The outcomes of the mutations that the device does not know to be taken. Applied mutations are left out.
    private static func askOutcomes(
        of request: SyncRequest, _ account: AccountID, upTo acknowledged: Acknowledgement,
        in transaction: any Transaction
    ) throws -> Pending<[MutationOutcome]> {
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

    /// The state of every record that the request's mutations named, in the order of their places, with the bytes of
    /// its fields. Records in feeds that the account cannot read are left out.
    private static func askNamed(
        by request: SyncRequest, for account: AccountID, in transaction: any Transaction
    ) throws -> Pending<[FeedReader.Known]> {
        var collections: [RecordPlace: RecordCollection] = [:]
        for mutation in request.mutations {
            collections[RecordPlace(mutation.feed, mutation.record)] = mutation.collection
        }
        let rows = try transaction.ask(
            wanted: ["feed", "id"], collections.keys.sorted().map { [.id($0.feed), .id($0.record)] },
            """
            SELECT \(RecordChange.wantedColumns)
            FROM wanted CROSS JOIN access \(RecordChange.wantedJoin(feed: "access.feed"))
            WHERE access.account = ? AND access.feed = wanted.feed
            """, [.id(account)])
        return rows.map { [collections] rows in
            var records: [FeedReader.Known] = []
            for row in rows {
                let place = RecordPlace(try row.id(0), try row.id(1))
                guard let collection = collections[place] else { continue }
                var bytes = 0
                var change = RecordChange(
                    collection: collection, id: place.record, sequence: 0, modified: Timestamp(milliseconds: 0),
                    fields: nil)
                if !row.isNull(2) {
                    change = try RecordChange(row)
                    bytes = try RecordChange.bytes(row)
                }
                records.append((FeedRecord(feed: place.feed, change: change), bytes))
            }
            // SQLite finds them in this order. An ORDER BY would make it sort the rows with their fields.
            records.sort {
                RecordPlace($0.record.feed, $0.record.change.id) < RecordPlace($1.record.feed, $1.record.change.id)
            }
            return records
        }
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
