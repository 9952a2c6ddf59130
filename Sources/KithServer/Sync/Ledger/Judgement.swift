package import KithModel

/// Takes mutations into a ledger, group by group. Each takes effect, is superseded, or is rejected.
package struct Judgement: Sendable {
    /// The ledger with the effects of the mutations.
    private(set) var ledger: Ledger
    private(set) var outcomes: [MutationOutcome] = []
    private let account: AccountID
    /// The account's role in each feed at the start of the group; `owner` for a list that the group creates.
    private var roles: [FeedID: Role] = [:]

    /// Why a mutation is refused.
    package struct Rejection: Error {
        var code: RejectionCode
        var sentence: String

        package init(_ code: RejectionCode, _ sentence: String) {
            self.code = code
            // The sentence can quote the mutation, and it is stored. PostgreSQL cannot store a NUL character.
            self.sentence = String(sentence.prefix(500)).replacing("\0", with: "\u{FFFD}")
        }

        init(_ fault: BrokenRule) { self.init(fault.code, fault.sentence) }

        fileprivate static let notInList = Rejection(.forbidden, "You are not in this list, or it is gone.")
    }

    /// Takes these mutations, whose groups are consecutive and whole.
    init(of mutations: ArraySlice<Mutation>, by account: AccountID, on ledger: Ledger) {
        self.ledger = ledger
        self.account = account
        var rest = mutations
        while let first = rest.first {
            let group = rest.prefix { $0.number == first.number || ($0.group != nil && $0.group == first.group) }
            take(group: group)
            rest = rest.dropFirst(group.count)
        }
    }

    private mutating func take(group: ArraySlice<Mutation>) {
        for mutation in group { roles[mutation.feed] = ledger.role(of: account, in: mutation.feed) }
        ledger.setSavepoint()
        var taken: [MutationOutcome] = []
        for mutation in group {
            do throws(Rejection) {
                taken.append(MutationOutcome(number: mutation.number, result: try take(mutation, in: group)))
            } catch {
                ledger.rollBack()
                outcomes += group.map { member in
                    let isCause = member.number == mutation.number
                    return MutationOutcome(
                        number: member.number, result: .rejected, code: isCause ? error.code : .group,
                        detail: isCause ? error.sentence : "Another edit that was made together with this was refused.")
                }
                return
            }
        }
        outcomes += taken
    }

    private mutating func take(
        _ sent: Mutation, in group: ArraySlice<Mutation>
    ) throws(Rejection) -> MutationOutcome.Result {
        var mutation = sent
        let isCondition = sent.isCondition(of: group)
        if isCondition { mutation.change = sent.change.withoutStatements }
        let place = RecordPlace(mutation.feed, mutation.record)
        let rules = ledger.collections[mutation.collection]
        var found = ledger.feed(mutation.feed)
        if roles[mutation.feed] == nil, let rules, try rules.createsFeed(mutation, by: account, in: ledger) {
            found = ledger.createFeed(of: mutation.feed)
            roles[mutation.feed] = .owner
        }
        guard let role = roles[mutation.feed], let feed = found else {
            throw Rejection.notInList
        }
        guard let rules else {
            throw Rejection(.invalid, "This server does not know “\(mutation.collection.rawValue.prefix(40))”.")
        }
        let schema = rules.schema
        let stored = ledger.records[place]
        guard schema.home == feed.kind, isPlace(place, of: mutation.collection, in: feed),
            stored.map({ $0.collection == mutation.collection }) ?? true
        else {
            throw Rejection(.invalid, "A record of this kind cannot have this id in this feed.")
        }
        let old = (rules.isCreatedByAnyEdit ? ledger.live(place) : stored)?.state
        let isNew = old == nil && (rules.isCreatedByAnyEdit || schema.isCreation(mutation))
        let edit = JudgedMutation(mutation: mutation, account: account, old: old, isNew: isNew)
        let rights = Rights(role: role, isPerson: rules.isAbout(account, mutation))
        if let fault = FieldRules.fault(in: mutation.change, to: schema, creating: isNew, by: rights) {
            throw Rejection(fault)
        }
        try checkLimits(isNew, in: feed)
        try rules.check(edit, in: ledger)
        if isCondition, let old, !old.isDeleted, !Merge.isMet(sent, by: old, of: ledger.device, schema) {
            throw Rejection(.changed, "Another device has changed this meanwhile. Look at it, and do it again.")
        }

        let arrival = ledger.arrival(in: feed)
        switch Merge.outcome(
            of: mutation, on: rules.isCreatedByAnyEdit ? old ?? .unwritten : old, at: arrival, by: schema)
        {
        case .superseded where old == nil && rules.leavesTombstone(edit, in: ledger):
            ledger.put(RecordRow(collection: mutation.collection, state: .tombstone(at: arrival)), at: place)
            return .applied
        case .superseded: return .superseded
        case .rejected(let code):
            throw Rejection(code, code == .deleted ? "This was deleted before." : "There is no such record.")
        case .applied(var state):
            rules.complete(&state, after: edit)
            try checkCarried(mutation, state, over: old, schema)
            let record = RecordRow(collection: mutation.collection, state: state)
            try checkStorage(mutation, record, over: stored, rules)
            if case .edit = mutation.change, let fault = schema.fault(state.fields, old?.fields) {
                throw Rejection(fault)
            }
            try rules.check(edit, making: state, at: arrival.time, in: ledger)
            ledger.put(record, at: place)
            rules.follow(edit, making: state, in: &ledger)
            return .applied
        }
    }

    /// Whether a record of `collection` can be at `place`. Some places are reserved for one collection.
    private func isPlace(_ place: RecordPlace, of collection: RecordCollection, in feed: FeedRow) -> Bool {
        ledger.collections.single.allSatisfy { rules in
            (rules.schema.collection == collection) == (place == rules.onlyPlace(in: feed))
        }
    }

    private func checkLimits(_ isNew: Bool, in feed: FeedRow) throws(Rejection) {
        if isNew && feed.kind == .list && feed.live >= Limits.records {
            throw Rejection(.full, "The list has \(Limits.records) records; no more fit. Remove some first.")
        }
    }

    /// Limits the total bytes of an owner's records. Roles, requests, blocks and edits that add nothing are permitted
    /// at the limit.
    private mutating func checkStorage(
        _ mutation: Mutation, _ record: RecordRow, over old: RecordRow?, _ rules: any CollectionRules
    ) throws(Rejection) {
        guard case .edit(let set, _) = mutation.change, !set.isEmpty else { return }
        if !rules.usesStorage && set.keys.allSatisfy({ rules.schema.knows($0) }) { return }
        let added = record.bytes - (old?.bytes ?? 0)
        guard added <= 0 || ledger.known.room.hasRoom(in: mutation.feed) else {
            throw Rejection(
                .full, "The owner's account has no space left for this edit. Remove something first.")
        }
        ledger.countBytes(added, in: mutation.feed)
    }

    /// Limits the fields of newer versions that a record carries, however many edits add them. Other edits are
    /// permitted at the limit.
    private func checkCarried(
        _ mutation: Mutation, _ state: RecordState, over old: RecordState?, _ schema: Schema
    ) throws(Rejection) {
        guard mutation.change.goes(beyond: schema) else { return }
        let (before, after) = ((old ?? .unwritten).carried(beyond: schema), state.carried(beyond: schema))
        guard after.fields <= max(before.fields, Limits.carriedFields),
            after.bytes <= max(before.bytes, Limits.carriedBytes)
        else {
            throw Rejection(
                .invalid,
                "The record would have more than \(Limits.carriedFields) fields that are unknown here, or \(Limits.carriedBytes / 1024) KiB of them."
            )
        }
    }
}

extension Mutation.Change {
    /// Whether the change touches a field that `schema` does not know.
    fileprivate func goes(beyond schema: Schema) -> Bool {
        guard case .edit(let set, let add) = self else { return false }
        return set.keys.contains { !schema.knows($0) } || add.keys.contains { !schema.knows($0) }
    }
}

extension RecordState {
    /// The number of fields that `schema` does not know and that the record has or remembers as removed, and their
    /// bytes.
    fileprivate func carried(beyond schema: Schema) -> (fields: Int, bytes: Int) {
        let unknown = fields.filter { !schema.knows($0.key) }
        let names = Set(unknown.keys).union(stamps.own.keys.filter { !schema.knows($0) })
        return (names.count, CanonicalForm.text(unknown).utf8.count)
    }
}

extension Schema {
    /// Whether `mutation` is meant to create a record that does not exist: it is an edit, and its author has not seen a
    /// record. ``FieldRules`` decides what the edit lacks.
    ///
    /// Some records can be created only by the server. A complete edit of such a record is forbidden; any other edit
    /// finds no record.
    func isCreation(_ mutation: Mutation) -> Bool {
        guard mutation.seen == 0, case .edit(let set, _) = mutation.change else { return false }
        return creator != .server || missing(in: set) == nil
    }
}
