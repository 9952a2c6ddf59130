import KithModel

/// A profile names pictures of its account, is listed in the directory, and is propagated to the contacts of the
/// person.
struct ProfileRules: CollectionRules {
    let schema = Profile.schema
    let isSingle = true

    /// What is read for profiles.
    struct Needs: LedgerFacts {
        /// The hashes of the pictures that the caller's profile is to name.
        var pictures: Set<String> = []
    }

    /// What is known of profiles besides their records.
    struct Facts: LedgerFacts {
        /// The bytes of each picture that a profile is to name. Pictures that do not exist are missing.
        var pictures: [String: Int] = [:]
    }

    func onlyPlace(in feed: FeedRow) -> RecordPlace? { .profile(of: feed.id.retyped()) }

    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds) {
        let named = Pictures.named(in: mutation.change)
        if !named.isEmpty { needs[Needs.self].pictures.formUnion(named) }
    }

    func read(
        _ needs: LedgerNeeds, for account: AccountID?, at now: Timestamp, into known: inout KnownFacts,
        in transaction: any Transaction
    ) throws {
        let pictures = needs[Needs.self].pictures
        guard let account, !pictures.isEmpty else { return }
        known[Facts.self].pictures = try Pictures.sizes(of: pictures, of: account, in: transaction)
    }

    func check(
        _ edit: JudgedMutation, making state: RecordState, at now: Timestamp, in ledger: Ledger
    ) throws(Judgement.Rejection) {
        let changed = state.fields.filter { edit.old?.fields[$0.key] != $0.value }
        if let fault = Pictures.fault(in: changed, sizes: ledger[Facts.self].pictures) { throw .init(.invalid, fault) }
    }

    func write(_ differences: [RecordDifference], of ledger: Ledger, in transaction: any Transaction) throws {
        for one in differences {
            try ProfileIndex.update(
                one.place.feed.retyped(), from: one.old?.state.fields ?? [:], to: one.new.state.fields,
                at: ledger.now, in: transaction)
        }
        // The background job updates the people who have the person among their contacts.
        try ProfileFanout.begin(differences.map { $0.place.feed.retyped() }, at: ledger.now, in: transaction)
    }

    func addSignals(of difference: RecordDifference, to signals: inout Signals) {
        signals.topics.insert(.profiles)
        let (old, new) = (difference.old?.state.fields ?? [:], difference.new.state.fields)
        if [Profile.Part.presence, .lastSeen].contains(where: { $0.visibility(in: old) != $0.visibility(in: new) }) {
            signals.circles.insert(difference.place.feed.retyped())
        }
    }
}
