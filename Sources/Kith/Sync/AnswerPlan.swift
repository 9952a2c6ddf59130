import KithModel

/// The effect of an answer on the replica, as a value. It is planned first and then applied.
///
/// Applying it removes acknowledged mutations from the outbox, writes the changes, merges the waiting mutations over
/// them again, and advances the token. All of this is one transaction, so that nobody sees a part of an answer.
struct AnswerPlan: Sendable {
    let answer: SyncAnswer
    /// The last mutation that is acknowledged.
    ///
    /// A server of an older version also acknowledges mutations in flight that the request did not contain. It has not
    /// compared their content: another copy of this replica may have given their numbers to other edits. So they stay in
    /// flight, and the next request has them.
    let acknowledged: Acknowledgement
    let rejections: [Int64: (code: RejectionCode, sentence: String)]
    /// The single records of the answer, each once, in order.
    let records: [(feed: ReplicaFeed, change: RecordChange)]
    let pages: [(feed: ReplicaFeed, page: RecordPage)]
    /// Feeds that were read to their end, with the digests that they must have afterwards.
    let ends: [(feed: ReplicaFeed, digest: FeedDigest?)]
    /// The lists' feeds that the account cannot read any more.
    let lost: [FeedID]
    /// Feeds with changes that were not read to their end.
    let open: [ReplicaFeed]

    init(_ answer: SyncAnswer, to request: SyncRequest) {
        func feed(_ id: FeedID) -> ReplicaFeed { ReplicaFeed(id, inMessagesOf: request.account) }
        self.answer = answer
        if let last = request.mutations.last?.number, last < min(answer.acknowledged.number, request.sent) {
            acknowledged = Acknowledgement(number: last, hash: "")
        } else {
            acknowledged = answer.acknowledged
        }
        var rejections: [Int64: (RejectionCode, String)] = [:]
        for outcome in answer.outcomes { rejections[outcome.number] = outcome.rejection }
        self.rejections = rejections
        // A record can be both in `records` and among the changes. Both are equal, because they come from the same
        // snapshot.
        var records: [(feed: ReplicaFeed, change: RecordChange)] = []
        var indexes: [FeedRecordKey: Int] = [:]
        let news = answer.feeds.flatMap { feed in feed.changes.map { FeedRecord(feed: feed.feed, change: $0) } }
        for record in answer.records + news {
            let key = FeedRecordKey(feed: feed(record.feed), id: record.change.id)
            if let index = indexes[key] {
                records[index].change = record.change
            } else {
                indexes[key] = records.count
                records.append((key.feed, record.change))
            }
        }
        // If a mutation's record is missing from the answer, the account cannot read it.
        for mutation in request.mutations where mutation.number <= answer.acknowledged.number {
            let key = FeedRecordKey(feed: feed(mutation.feed), id: mutation.record)
            guard indexes[key] == nil else { continue }
            indexes[key] = records.count
            let missing = RecordChange(
                collection: mutation.collection, id: mutation.record, sequence: 0, modified: answer.time, fields: nil)
            records.append((key.feed, missing))
        }
        self.records = records
        pages = answer.feeds.compactMap { part in part.page.map { (feed(part.feed), $0) } }
        ends = answer.feeds.filter(\.isComplete).map { (feed($0.feed), $0.digest) }
        open = answer.feeds.filter { !$0.isComplete }.map { feed($0.feed) }
        lost = answer.lost
    }

    private struct FeedRecordKey: Hashable {
        let feed: ReplicaFeed
        let id: RecordID<Never>
    }
}

extension AnswerPlan {
    /// Applies the plan. The caller has checked that the answer belongs to the replica's current state.
    func apply(in transaction: ReplicaTransaction) throws {
        transaction.answerTime = answer.time
        try acknowledge(in: transaction)
        for (feed, change) in records { try apply(change, feed: feed, in: transaction) }
        for (feed, page) in pages { try apply(page, feed: feed, in: transaction) }
        for feed in lost where try !transaction.isCreating(feed) { try lose(feed, in: transaction) }
        if pages.contains(where: { $0.feed == .own }), ends.contains(where: { $0.feed == .own }) {
            // My memberships have been reread to their end. Other lists cannot be read any more, even if a copy of this
            // replica left one here.
            for feed in try transaction.unaccountedFeeds() { try lose(feed, in: transaction) }
        }
        for feed in open { try transaction.digests.mark(feed, isDoubtful: false) }
        for (feed, digest) in ends {
            var differs = try digest.map { try transaction.digests.digest(of: feed) != $0 } ?? false
            if differs {
                // The stored digest may be wrong although the records are right, so it is recomputed.
                try transaction.digests.recount(feed, in: transaction.collections.tables(of: feed))
                differs = try digest.map { try transaction.digests.digest(of: feed) != $0 } ?? false
            }
            try transaction.digests.mark(feed, isDoubtful: differs)
        }
        transaction.account.acknowledged = acknowledged
        // A copy with the same device identity may have sent higher numbers than this device.
        transaction.account.sent = max(transaction.account.sent, acknowledged.number)
        transaction.account.token = answer.token
        transaction.account.epoch = answer.epoch
        if !answer.more { transaction.account.completed = transaction.now }
    }

    private func acknowledge(in transaction: ReplicaTransaction) throws {
        for (_, key) in try transaction.outbox.keysInFlight(upTo: acknowledged.number) {
            transaction.confirmed.insert(key)
        }
        if !rejections.isEmpty {
            let answered = try transaction.outbox.inFlight(upTo: acknowledged.number)
            let remade = try remake(answered, in: transaction)
            for mutation in answered where !remade.contains(mutation.id) {
                guard let number = mutation.number, let reason = rejections[number] else { continue }
                try transaction.reject(mutation, reason.code, reason.sentence)
            }
        }
        try transaction.outbox.log(upTo: acknowledged.number, at: answer.time)
        // By the clock that is behind: one round with a clock that is ahead would otherwise delete the whole log.
        try transaction.outbox.purge(at: min(answer.time, transaction.now))
        for rules in transaction.collections.all { try rules.purge(in: transaction) }
    }

    /// Makes what has the identity of a record of another account again, under another identity.
    ///
    /// - Returns: The edits that are a part of it. If they were refused, nothing of them is lost.
    private func remake(_ answered: [StoredMutation], in transaction: ReplicaTransaction) throws -> Set<MutationID> {
        var remade: Set<MutationID> = []
        for mutation in answered where mutation.number.flatMap({ rejections[$0] })?.code == .idTaken {
            let (key, collections) = (mutation.key, transaction.collections)
            guard try collections[key.collection]?.remake(key, in: transaction) ?? false else { continue }
            let access = collections.access(to: key.id.retyped())
            remade.formUnion(answered.filter { $0.key.feed == key.feed || $0.key == access }.map(\.id))
        }
        return remade
    }

    /// Writes one record with its unsent edits on top.
    private func apply(_ change: RecordChange, feed: ReplicaFeed, in transaction: ReplicaTransaction) throws {
        guard let rules = transaction.collections[change.collection] else {
            return try park(change, feed: feed, in: transaction)
        }
        let key = RecordKey(change.collection, in: feed, change.id)
        let unsent = try transaction.outbox.unsent(of: key)
        var base = change.fields.map {
            StoredRecord(fields: $0, sequence: change.sequence, modified: change.modified)
        }
        if base == nil && !unsent.isEmpty { base = try rules.implied(key, at: change.modified, in: transaction) }
        let record = PendingState.record(base: base, unsent: unsent, by: rules)
        if record == nil { try transaction.keepNames(of: key) }
        try transaction.putFromServer(record, key)
        if record == nil, let lost = rules.feedLost(with: key), try !transaction.isCreating(lost) {
            try lose(lost, in: transaction)
        }
    }

    /// Writes a page: its records, and the removal of records that it does not contain.
    private func apply(_ page: RecordPage, feed: ReplicaFeed, in transaction: ReplicaTransaction) throws {
        // Records with unsent edits are written one by one, so that the edits stay on top.
        let edited = try transaction.outbox.editedRecords(after: page.after, through: page.through)
        var rows: [RecordCollection: [(RecordKey, StoredRecord)]] = [:]
        let tables = transaction.collections.tables(of: feed)
        for table in tables {
            rows[table.schema.collection] = try table.records(
                of: feed, after: page.after, through: page.through, in: transaction.store)
        }
        for columns in page.columns {
            let isMany = transaction.collections[columns.collection]?.isMany ?? false
            let known = edited.union(rows[columns.collection, default: []].map(\.0.id))
            var new: [Int] = []
            for index in 0..<columns.count {
                let id = columns.id(at: index)
                if isMany && !known.contains(id) {
                    new.append(index)
                } else {
                    try apply(columns.record(at: index), feed: feed, in: transaction)
                }
            }
            try transaction.insert(columns, at: new, feed: feed)
        }
        for table in tables {
            // This includes records that the server did not send before. An unsent record stays. A record that another
            // copy of this replica has sent is removed like the others.
            let present = rows[table.schema.collection, default: []]
            if present.isEmpty { continue }
            let seen = page.ids(of: table.schema.collection)
            for (key, record) in present where !seen.contains(key.id) {
                try apply(
                    RecordChange(
                        collection: key.collection, id: key.id, sequence: 0, modified: record.modified, fields: nil),
                    feed: feed, in: transaction)
            }
        }
        let parked = try transaction.parked.removals(in: feed, after: page.after, through: page.through)
        if parked.isEmpty { return }
        let ids = page.ids()
        for change in parked where !ids.contains(change.id) { try park(change, feed: feed, in: transaction) }
    }

    /// Stores a record of a collection that this version does not know.
    private func park(_ change: RecordChange, feed: ReplicaFeed, in transaction: ReplicaTransaction) throws {
        let before = try transaction.parked.put(change, in: feed)
        try transaction.digests.change(feed) { digest in
            if let before { digest.remove(change.id, sequence: before) }
            if change.fields != nil { digest.add(change.id, sequence: change.sequence) }
        }
    }

    /// Removes a list's feed that cannot be read any more. Its unsent edits become rejections, except those in groups,
    /// because the server refuses such a group as a whole.
    private func lose(_ feed: FeedID, in transaction: ReplicaTransaction) throws {
        let unsent = try transaction.outbox.unsent(in: feed).filter { $0.number == nil && $0.group == nil }
        for mutation in unsent {
            try transaction.reject(mutation, .forbidden, "You no longer have access to this list.")
        }
        try transaction.outbox.withdraw(unsent)
        for key in Set(try transaction.outbox.unsent(in: feed).map(\.key)) { try transaction.keepNames(of: key) }
        for table in transaction.collections.listTables {
            for (key, _) in try table.records(of: .ofList(feed), in: transaction.store) {
                try transaction.put(nil, key, isLost: true)
            }
        }
        try transaction.digests.forget(.ofList(feed))
        try transaction.parked.forget(.ofList(feed))
    }
}

extension RecordPage {
    /// The ids of the page's records; only those of `collection` if it is not nil.
    fileprivate func ids(of collection: RecordCollection? = nil) -> Set<RecordID<Never>> {
        Set(columns.filter { $0.collection == collection ?? $0.collection }.flatMap { $0.allIDs })
    }
}

extension RecordPage.Columns {
    /// The ids of all records.
    fileprivate var allIDs: [RecordID<Never>] { (0..<count).map { id(at: $0) } }
}
