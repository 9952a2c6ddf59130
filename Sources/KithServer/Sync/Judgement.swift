import KithModel

/// Takes mutations into a ledger, group by group: each takes effect, is superseded, or is rejected.
struct Judgement: Sendable {
    private(set) var ledger: Ledger
    private(set) var outcomes: [MutationOutcome] = []
    private let account: AccountID
    /// The account's role in each feed when the group began; of a list that the group makes, the owner's.
    private var roles: [FeedID: Role] = [:]

    /// Why a mutation is refused.
    struct Rejection: Error {
        var code: RejectionCode
        var sentence: String

        init(_ code: RejectionCode, _ sentence: String) {
            self.code = code
            // It can quote the mutation, and is kept.
            self.sentence = String(sentence.prefix(500))
        }
    }

    init(_ ledger: Ledger, by account: AccountID) {
        self.ledger = ledger
        self.account = account
    }

    /// Takes these mutations, whose groups are consecutive and whole.
    mutating func take(_ mutations: ArraySlice<Mutation>) {
        var rest = mutations
        while let first = rest.first {
            let group = rest.prefix { $0.number == first.number || ($0.group != nil && $0.group == first.group) }
            take(group: group)
            rest = rest.dropFirst(group.count)
        }
    }

    private mutating func take(group: ArraySlice<Mutation>) {
        for mutation in group { roles[mutation.feed] = ledger.role(of: account, in: mutation.feed) }
        ledger.mark()
        var taken: [MutationOutcome] = []
        for mutation in group {
            do throws(Rejection) {
                taken.append(MutationOutcome(number: mutation.number, result: try take(mutation)))
            } catch {
                ledger.takeBack()
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

    private mutating func take(_ mutation: Mutation) throws(Rejection) -> MutationOutcome.Result {
        let place = RecordKey(mutation.feed, mutation.record)
        let schema = Schema[mutation.collection]
        if ledger.feeds[mutation.feed] == nil { try openList(for: mutation, schema) }
        guard let role = roles[mutation.feed], let feed = ledger.feeds[mutation.feed] else {
            throw Rejection(.forbidden, "You are not in this list, or it is gone.")
        }
        guard let schema else {
            throw Rejection(.invalid, "This server does not know “\(mutation.collection.rawValue.prefix(40))”.")
        }
        let stored = ledger.records[place]
        guard schema.home == feed.kind,
            (mutation.collection == .lists) == (feed.kind == .list && place == .list(feed.id)),
            (mutation.collection == .profiles) == (place == .profile(of: feed.id.retyped())),
            stored.map({ $0.collection == mutation.collection }) ?? true
        else {
            throw Rejection(.invalid, "A record of this kind cannot have this id in this feed.")
        }
        let pair =
            mutation.collection == .contacts
            ? Pair(account: account, peer: mutation.record.retyped()) : nil
        // Whoever writes of a contact that is gone begins it anew, also if they have seen it: a block has to hold.
        let old = pair == nil ? stored : ledger.live(place)
        let isNew = old == nil && (pair != nil || schema.isBegun(by: mutation))
        if isNew && mutation.collection == .items && !canBeItem(mutation.record) {
            throw Rejection(.invalid, "An item cannot have this id: it belongs to something else.")
        }
        let rights = Rights(
            role: role, isPerson: mutation.collection == .members && mutation.record == account.retyped())
        if let fault = Rules.fault(in: mutation.change, to: schema, creating: isNew, by: rights) {
            throw Rejection(fault.code, fault.sentence)
        }
        try checkThatOwnerStays(mutation)
        try checkLimits(isNew, in: feed)
        if let refusal = pair?.refusal(of: mutation, isNew: isNew, in: ledger) { throw refusal }

        guard let arrival = ledger.arrival(in: feed.id) else {
            throw Rejection(.forbidden, "You are not in this list, or it is gone.")
        }
        let base = pair == nil ? old?.state : old?.state ?? .unwritten
        switch Merge.outcome(of: mutation, on: base, at: arrival) {
        case .superseded where old == nil && isDeletionOfSeenItem(mutation):
            // The server has forgotten the item, because it was restored perhaps: who sends it again finds it deleted.
            ledger.put(StoredRecord(collection: .items, state: .tombstone(at: arrival)), at: place)
            return .applied
        case .superseded: return .superseded
        case .rejected(let code):
            throw Rejection(code, code == .deleted ? "This was deleted before." : "There is no such record.")
        case .applied(var state):
            if isNew && mutation.collection == .items { state.fields["creator"] = .text(account.description) }
            try checkCarried(mutation, state, over: old?.state, schema)
            try checkStorage(mutation, state, over: old?.state, schema)
            if let pair, state.stamp(of: "wish") != old?.state.stamp(of: "wish"),
                let refusal = pair.refusal(
                    of: state, mutation, over: old?.state, at: arrival.time, canAsk: ledger.canAsk)
            {
                throw refusal
            }
            if mutation.collection == .profiles {
                let changed = state.fields.filter { old?.state.fields[$0.key] != $0.value }
                if let fault = Pictures.fault(in: changed, sizes: ledger.beside.pictures) {
                    throw Rejection(.invalid, fault)
                }
            }
            ledger.put(StoredRecord(collection: mutation.collection, state: state), at: place)
            follow(mutation, over: old?.state, state)
            if let pair { ledger.follow(pair, mutation, over: old?.state) }
            return .applied
        }
    }

    /// Whether an item can have this id, which belongs to nothing else.
    private func canBeItem(_ id: RecordID<Never>) -> Bool {
        !ledger.beside.foreign.contains(id.retyped()) && id.uuid.halves != (0, 0)
    }

    private func isDeletionOfSeenItem(_ mutation: Mutation) -> Bool {
        mutation.collection == .items && mutation.change == .delete && mutation.seen > 0 && canBeItem(mutation.record)
    }

    /// A feed comes to be with its list.
    private mutating func openList(for mutation: Mutation, _ schema: Schema?) throws(Rejection) {
        guard mutation.collection == .lists, mutation.record == mutation.feed.retyped(),
            mutation.feed != account.retyped(), let schema, schema.isBegun(by: mutation)
        else { return }
        // Zero stands for no list at all where a replica keeps its account's own feed.
        guard !ledger.beside.foreign.contains(mutation.feed), mutation.feed.uuid.halves != (0, 0) else {
            throw Rejection(.invalid, "A list cannot have this id: it belongs to something else.")
        }
        if let fault = Rules.fault(in: mutation.change, to: schema, creating: true, by: Rights(role: .owner)) {
            throw Rejection(fault.code, fault.sentence)
        }
        guard ledger.lists(of: account) < Limits.lists else {
            throw Rejection(.full, "You have \(Limits.lists) lists; no more fit. Remove or leave one first.")
        }
        ledger.open(mutation.feed)
        roles[mutation.feed] = .owner
    }

    private func checkThatOwnerStays(_ mutation: Mutation) throws(Rejection) {
        let stays = Rejection(.ownerStays, "The owner cannot leave: hand the list over or remove it first.")
        switch (mutation.collection, mutation.change) {
        case (.members, .delete):
            if ledger.role(of: mutation.record.retyped(), in: mutation.feed) == .owner { throw stays }
        case (.members, .edit(let set, _)):
            if set["role"] != nil, ledger.role(of: mutation.record.retyped(), in: mutation.feed) == .owner {
                throw stays
            }
        case (.memberships, .delete):
            if ledger.role(of: account, in: mutation.record.retyped()) == .owner { throw stays }
        default: break
        }
    }

    private func checkLimits(_ isNew: Bool, in feed: FeedRow) throws(Rejection) {
        if isNew && feed.kind == .list && feed.live >= Limits.records {
            throw Rejection(.full, "The list has \(Limits.records) records; no more fit. Remove some first.")
        }
    }

    /// An owner's records have so many bytes together. Roles, requests, blocks and edits that add nothing go on at the limit.
    private mutating func checkStorage(
        _ mutation: Mutation, _ state: RecordState, over old: RecordState?, _ schema: Schema
    ) throws(Rejection) {
        guard case .edit(let set, _) = mutation.change, !set.isEmpty else { return }
        if mutation.collection == .members, set["role"] == .text(Role.owner.rawValue) {
            let heir: AccountID = mutation.record.retyped()
            guard ledger.beside.room.fits(mutation.feed, heir) else {
                throw Rejection(
                    .full, "The new owner's account has no space for this list. Remove something from the list first.")
            }
        }
        let isAboutPeople = [.members, .contacts].contains(mutation.collection)
        if isAboutPeople && set.keys.allSatisfy({ schema[$0] != nil }) { return }
        let added = state.bytes - (old?.bytes ?? 0)
        guard added <= 0 || ledger.beside.room.hasRoom(in: mutation.feed) else {
            throw Rejection(
                .full, "The owner's account has no space left for this edit. Remove something first.")
        }
        ledger.countBytes(added, in: mutation.feed)
    }

    /// What a record carries of newer versions is bounded, however many edits bring it. Other edits go on at the limit.
    private func checkCarried(
        _ mutation: Mutation, _ state: RecordState, over old: RecordState?, _ schema: Schema
    ) throws(Rejection) {
        guard mutation.change.touched.contains(where: { schema[$0] == nil }) else { return }
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

    private mutating func follow(_ mutation: Mutation, over old: RecordState?, _ state: RecordState) {
        switch (mutation.collection, mutation.change) {
        case (.lists, .edit) where old == nil:
            ledger.join(account, mutation.feed, as: .owner)
        case (.lists, .delete):
            ledger.end(mutation.feed)
        case (.members, .edit):
            if let role = state.fields["role"]?.text.flatMap(Role.init) {
                let person: AccountID = mutation.record.retyped()
                if role == .owner && ledger.role(of: person, in: mutation.feed) != .owner {
                    ledger.handOverBytes(of: mutation.feed, to: person)
                }
                ledger.appoint(person, role, in: mutation.feed)
            }
        case (.members, .delete):
            let person: AccountID = mutation.record.retyped()
            if person != account {
                let name = old?.fields["name"]?.text ?? old?.fields["profileName"]?.text
                ledger.keepOut(person, called: name, of: mutation.feed)
            }
            ledger.leave(person, mutation.feed)
        case (.memberships, .delete):
            ledger.leave(account, mutation.record.retyped())
        default: break
        }
    }
}

extension RecordState {
    /// How many fields the record has, or remembers the removal of, that `schema` does not know; and their bytes.
    fileprivate func carried(beyond schema: Schema) -> (fields: Int, bytes: Int) {
        let unknown = fields.filter { schema[$0.key] == nil }
        let names = Set(unknown.keys).union(stamps.own.keys.filter { schema[$0] == nil })
        return (names.count, CanonicalForm.text(unknown).utf8.count)
    }
}

extension Schema {
    /// Whether `mutation` is to begin a record that is not there: it edits, and its author had seen none. What it lacks is
    /// for ``Rules`` to say.
    ///
    /// Only the server begins some: an edit that would be a whole one is forbidden, any other finds no record.
    fileprivate func isBegun(by mutation: Mutation) -> Bool {
        guard mutation.seen == 0, case .edit(let set, _) = mutation.change else { return false }
        return creator != .server || missing(in: set) == nil
    }
}
