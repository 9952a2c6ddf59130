import KithModel

/// The record of a list creates its feed, and the feed ends with it.
struct ListRules: CollectionRules {
    let schema = SharedList.schema
    let isSingle = true

    /// What is read for lists.
    struct Needs: LedgerFacts {
        /// Whether the lists of the caller are counted.
        var countsLists = false
        /// Whether the caller may make a list.
        var makesLists = false
    }

    /// What is known of lists besides their records.
    struct Facts: LedgerFacts {
        /// The lists that have a live public link.
        var publicLists: Set<FeedID> = []
        /// The number of lists that the caller was in.
        var lists: Int64 = 0
        /// The number of lists that the caller has made today, before.
        var madeToday = 0
        /// The number of lists that the caller makes now. They count toward the daily quota.
        var made = 0
    }

    /// The number of lists that an account can make in a day.
    private static let quota = DailyQuota(kind: "list", noun: "new lists", limit: Limits.listsADay)

    func onlyPlace(in feed: FeedRow) -> RecordPlace? { feed.kind == .list ? .list(feed.id) : nil }

    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds) {
        if mutation.change == .delete {
            needs.end(mutation.feed, leaving: account)
        } else if mutation.seen == 0 {
            // The list may be new.
            needs.changeRoles(of: account, in: mutation.feed)
            needs[Needs.self].countsLists = true
            needs[Needs.self].makesLists = true
        }
    }

    func read(
        _ needs: LedgerNeeds, for account: AccountID?, at now: Timestamp, into known: inout KnownFacts,
        in transaction: any Transaction
    ) throws {
        let countsLists = needs[Needs.self].countsLists
        let lists = needs.listsWithPeople
        if lists.isEmpty && !countsLists { return }
        let rows = try transaction.query(
            wanted: ["list"], lists.map { [.id($0)] },
            """
            SELECT DISTINCT link.list FROM wanted CROSS JOIN link WHERE link.list = wanted.list
                AND is_public = 1 AND revoked = 0 AND (expires IS NULL OR expires > ?)
            """, [.time(now)])
        var facts = Facts()
        facts.publicLists = Set(try rows.map { try $0.id(0) })
        if countsLists, let account {
            let count = try transaction.count("SELECT count(*) FROM access WHERE account = ?", [.id(account)])
            // The account also has access to its own feed, which does not count.
            facts.lists = Int64(count - 1)
            if needs[Needs.self].makesLists {
                facts.madeToday = try Self.quota.allowance(of: .account(account), at: now, in: transaction).used
            }
        }
        known[Facts.self] = facts
    }

    func createsFeed(
        _ mutation: Mutation, by account: AccountID, in ledger: Ledger
    ) throws(Judgement.Rejection) -> Bool {
        guard mutation.record == mutation.feed.retyped(), mutation.feed != account.retyped(),
            schema.isCreation(mutation)
        else { return false }
        // In a replica, the zero id stands for the account's own feed.
        guard !ledger.known.accountIDs.contains(mutation.feed), mutation.feed.uuid.halves != (0, 0) else {
            throw .init(.invalid, "A list cannot have this id: it belongs to something else.")
        }
        if ledger.feed(mutation.feed) != nil {
            // To make a list again that the account was in would bring back what was removed.
            if ledger.records[.membership(account, of: mutation.feed)] != nil { return false }
            throw .init(.idTaken, "Another account has a list with this id.")
        }
        if let fault = FieldRules.fault(in: mutation.change, to: schema, creating: true, by: Rights(role: .owner)) {
            throw .init(fault)
        }
        guard ledger.lists(of: account) < Limits.lists else {
            throw .init(.full, Ledger.tooManyLists)
        }
        guard ledger[Facts.self].madeToday + ledger[Facts.self].made < Limits.listsADay else {
            throw .init(.quotaExceeded, "You have made \(Limits.listsADay) lists today. Try again tomorrow.")
        }
        return true
    }

    /// Refuses a move of the list to another account if the copy lacks an edit: see ``Mutation/Change/contentDigest``.
    func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection) {
        guard case .edit(let set, _) = edit.mutation.change, let stated = set[Mutation.Change.contentDigest],
            let feed = ledger.feed(edit.mutation.feed)
        else { return }
        var digest = feed.digest
        for person in ledger.people(of: feed.id) {
            let member = ledger.live(.member(person, of: feed.id))
            guard let member, member.collection == .members else { continue }
            digest.remove(person.retyped(), sequence: member.state.sequence)
        }
        if stated != .text(digest.description) {
            throw .init(.changed, "Another device has changed the list meanwhile, so it stays in this account, too.")
        }
    }

    func complete(_ state: inout RecordState, after edit: JudgedMutation) {
        state.fields[Mutation.Change.contentDigest] = nil
    }

    func follow(_ edit: JudgedMutation, making state: RecordState, in ledger: inout Ledger) {
        switch edit.mutation.change {
        case .delete: ledger.end(edit.mutation.feed)
        case .edit where edit.old == nil:
            ledger.join(edit.account, edit.mutation.feed, as: .owner)
            ledger[Facts.self].made += 1
        case .edit: break
        }
    }

    func write(_ differences: [RecordDifference], of ledger: Ledger, in transaction: any Transaction) throws {
        if ledger[Facts.self].made > 0, let account = ledger.account {
            try Self.quota.take(ledger[Facts.self].made, by: .account(account), at: ledger.now, in: transaction)
        }
        for table in ["link", "removed", "gift"] {
            try transaction.delete(from: table, ["list"], ledger.closed.map { [.id($0.id)] })
        }
    }

    func addSignals(of difference: RecordDifference, to signals: inout Signals) {
        if difference.new.state.isDeleted { signals.topics.insert(.closedLists) }
    }
}
