import KithModel

/// A contact is one side of a ``ContactPair``: the owner's wish has effects on the other side.
struct ContactRules: CollectionRules {
    let schema = NetworkContact.schema
    let usesStorage = false
    // A block must take effect even if the contact was deleted in the meantime.
    let isCreatedByAnyEdit = true
    /// Receives the people who have become connected. Their invitations can then have nothing left to answer.
    let connected: @Sendable ([ContactPair], Timestamp, any Transaction) throws -> Void

    /// What is read for contacts.
    struct Needs: LedgerFacts {
        /// The contact records that may change, each with the other person's contact record of the same pair. The records
        /// show their profiles.
        var contacts: [RecordPlace] = []
        /// Whether a mutation may block somebody, or end a block.
        var hasBlocks = false
    }

    /// What is known of contacts besides their records.
    struct Facts: LedgerFacts {
        /// The named people that are bots.
        var bots: Set<AccountID> = []
        /// When the caller was last online, as far as others may know: now if the caller is online; nil if never. It is
        /// known only if a mutation may block somebody.
        var lastOnline: Timestamp?
        /// The number of people that the caller may still ask today.
        var requestsLeft = 0
        /// The number of people who were asked to connect. They count toward the daily quota.
        var requests = 0

        /// Whether the caller can ask another person today.
        var canAsk: Bool { requests < requestsLeft }
    }

    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds) {
        guard mutation.feed == account.retyped() else { return }
        needs[Needs.self].contacts.append(ContactPair(mutation, of: account).mine)
        if case .edit(let set, _) = mutation.change, set["isBlocked"] != nil { needs[Needs.self].hasBlocks = true }
    }

    func addPlaces(
        for needs: LedgerNeeds, by account: AccountID?, _ access: [FeedID: [AccountID: Role]],
        to places: inout LedgerPlaces
    ) {
        for pair in needs[Needs.self].contacts.map(ContactPair.init(mine:)) {
            places.accounts.formUnion([pair.account, pair.peer])
            places.records.formUnion([pair.mine, pair.theirs, .profile(of: pair.account), .profile(of: pair.peer)])
        }
    }

    func read(
        _ needs: LedgerNeeds, for account: AccountID?, at now: Timestamp, into known: inout KnownFacts,
        in transaction: any Transaction
    ) throws {
        let (contacts, hasBlocks) = (needs[Needs.self].contacts, needs[Needs.self].hasBlocks)
        if contacts.isEmpty { return }
        var facts = Facts()
        let people = Set(contacts.map(ContactPair.init(mine:)).flatMap { [$0.account, $0.peer] })
        let bots = try transaction.query(
            wanted: ["id"], people.sorted().map { [.id($0)] },
            "SELECT account.id FROM wanted CROSS JOIN account WHERE account.id = wanted.id AND account.is_bot = 1")
        facts.bots = Set(try bots.map { try $0.id(0) })
        if let account {
            if hasBlocks {
                facts.lastOnline = try needs.lastOnline?(transaction) ?? LastSeen.read(of: account, in: transaction)
            }
            facts.requestsLeft = try Self.requestQuota.allowance(of: .account(account), at: now, in: transaction).left
        }
        known[Facts.self] = facts
    }

    /// The number of people that an account may ask in a day.
    private static let requestQuota = DailyQuota(
        kind: "request", noun: "requests to connect", limit: Limits.requestsADay)

    func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection) {
        let pair = ContactPair(edit.mutation, of: edit.account)
        if let refusal = pair.refusal(of: edit.mutation, isNew: edit.isNew, in: ledger) { throw refusal }
    }

    func check(
        _ edit: JudgedMutation, making state: RecordState, at now: Timestamp, in ledger: Ledger
    ) throws(Judgement.Rejection) {
        guard state.stamp(of: "wish") != edit.old?.stamp(of: "wish") else { return }
        let refusal = ContactPair(edit.mutation, of: edit.account).refusal(
            of: state, edit.mutation, over: edit.old, at: now, canAsk: ledger[Facts.self].canAsk)
        if let refusal { throw refusal }
    }

    func follow(_ edit: JudgedMutation, making state: RecordState, in ledger: inout Ledger) {
        ledger.follow(ContactPair(edit.mutation, of: edit.account), edit.mutation, over: edit.old)
    }

    func waits(_ state: RecordState) -> Bool { state.relation == .received && !state.isBlocked }

    func write(_ differences: [RecordDifference], of ledger: Ledger, in transaction: any Transaction) throws {
        try connected(differences.filter(connects).map { ContactPair(mine: $0.place) }, ledger.now, transaction)
        let requests = ledger[Facts.self].requests
        guard requests > 0, let account = ledger.account else { return }
        try Self.requestQuota.take(requests, by: .account(account), at: ledger.now, in: transaction)
    }

    func addSignals(of difference: RecordDifference, to signals: inout Signals) {
        if letsKnow(difference.old?.state) != letsKnow(difference.new.state) {
            signals.circles.insert(difference.place.feed.retyped())
        }
        if connects(difference) { signals.topics.insert(.connections) }
    }

    /// Whether the two have become connected, or are connected and one has unblocked the other.
    private func connects(_ difference: RecordDifference) -> Bool {
        letsKnow(difference.new.state) && !letsKnow(difference.old?.state)
    }

    /// Whether the contact may see its owner's presence. ``ContactScan`` decides the same from the stored text.
    private func letsKnow(_ state: RecordState?) -> Bool {
        guard let state, !state.isDeleted else { return false }
        return state.relation == .connected && !state.isBlocked
    }
}

extension Signals.Topic {
    /// People who have become connected.
    package static let connections = Self("connections")
}

extension ContactPair {
    /// The two people of a contact's mutation.
    fileprivate init(_ mutation: Mutation, of account: AccountID) {
        self.init(account: account, peer: mutation.record.retyped())
    }

    /// The two people of a contact record.
    fileprivate init(mine place: RecordPlace) {
        self.init(account: place.feed.retyped(), peer: place.record.retyped())
    }
}
