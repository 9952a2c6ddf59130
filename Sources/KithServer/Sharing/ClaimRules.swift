import KithModel

/// The rules of used codes. They give new ones to the background job, which finds out who has brought the account.
///
/// The answer does not depend on the code, so nobody can try codes faster than the job decides about them.
struct ClaimRules: LimitedRules {
    let schema = Claim.schema

    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds) {
        guard mutation.feed == account.retyped(), mutation.seen == 0 else { return }
        needs.addRecord(of: mutation)
    }

    func room(of account: AccountID, at now: Timestamp, in transaction: any Transaction) throws -> Int {
        try Limits.claims - ClaimRow.count(of: account, in: transaction)
    }

    func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection) {
        try ledger.checkNew(edit, "You have used \(Limits.claims) codes. No more can be used.")
    }

    func write(_ differences: [RecordDifference], of ledger: Ledger, in transaction: any Transaction) throws {
        guard let account = ledger.account else { return }
        let new = differences.filter { one in
            one.place.feed == account.retyped() && one.old == nil && !one.new.state.isDeleted
        }
        if new.isEmpty { return }
        let network = try ledger.networkHash(in: transaction)
        let rows = new.compactMap { one in
            Claim(id: one.place.record.retyped(), one.new.state.fields, modified: one.new.state.modified).map {
                ClaimRow($0, of: account, from: network, at: ledger.now)
            }
        }
        try ClaimRow.insert(rows, in: transaction)
        try SharingOrder.give(.claim, about: rows.map(\.place), of: account, at: ledger.now, in: transaction)
    }
}
