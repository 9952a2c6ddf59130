import KithModel

/// The rules of shares. They give new shares to the background job, which counts them and sends the emails.
struct ShareRules: LimitedRules {
    let schema = Share.schema

    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds) {
        guard mutation.feed == account.retyped(), case .edit(let set, _) = mutation.change else { return }
        if mutation.seen == 0 { needs.addRecord(of: mutation) }
        if let shareable = set["shareable"]?.text.flatMap({ RecordID<Never>($0) }) {
            needs.records.insert(RecordPlace(mutation.feed, shareable))
        }
    }

    func room(of account: AccountID, at now: Timestamp, in transaction: any Transaction) throws -> Int {
        try Limits.shares - ShareRow.count(of: account, in: transaction)
    }

    func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection) {
        try ledger.checkNew(edit, "You have \(Limits.shares) shares. Remove some first.")
    }

    func check(
        _ edit: JudgedMutation, making state: RecordState, at now: Timestamp, in ledger: Ledger
    ) throws(Judgement.Rejection) {
        guard case .edit = edit.mutation.change, edit.old == nil else { return }
        guard let id = state.fields["shareable"]?.text.flatMap({ RecordID<Never>($0) }),
            ledger.live(RecordPlace(edit.mutation.feed, id))?.collection == .shareables
        else {
            throw .init(.notFound, "What was shared is not there. It was removed, or its code was refused.")
        }
    }

    func write(_ differences: [RecordDifference], of ledger: Ledger, in transaction: any Transaction) throws {
        guard let account = ledger.account else { return }
        let own = differences.filter { $0.place.feed == account.retyped() }
        try ShareRow.delete(own.filter(\.new.state.isDeleted).map(\.place), in: transaction)
        let new = own.filter { $0.old == nil && !$0.new.state.isDeleted }
        if new.isEmpty { return }
        let network = try ledger.networkHash(in: transaction)
        let rows = new.compactMap { one -> ShareRow? in
            let state = one.new.state
            guard let share = Share(id: one.place.record.retyped(), state.fields, modified: state.modified),
                let shareable = ledger.live(RecordPlace(share.shareable, of: account))?.state,
                let programme = shareable.fields["programme"]?.text
            else { return nil }
            return ShareRow(share, of: account, in: programme, from: network, at: ledger.now)
        }
        try ShareRow.insert(rows, in: transaction)
        // Also those without a row, whose shareable was removed in the same push: their emails fail.
        try SharingOrder.give(.share, about: new.map(\.place), of: account, at: ledger.now, in: transaction)
    }
}
