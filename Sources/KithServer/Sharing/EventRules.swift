import KithModel

/// The rules of events that may earn rewards. They give new ones to the background job, which gives the rewards and removes
/// the records.
struct EventRules: LimitedRules {
    let schema = SharingEvent.schema
    // An app that repeats an event whose record was removed is not told of an error. The job removes it again.
    let isCreatedByAnyEdit = true

    /// The events of an account in a day.
    private static let quota = DailyQuota(kind: "sharingEvent", noun: "events", limit: Limits.sharingEventsADay)

    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds) {
        if mutation.feed == account.retyped() { needs.addRecord(of: mutation) }
    }

    func room(of account: AccountID, at now: Timestamp, in transaction: any Transaction) throws -> Int {
        try Self.quota.allowance(of: .account(account), at: now, in: transaction).left
    }

    func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection) {
        try ledger.checkNew(
            edit, code: .quotaExceeded, "You have sent \(Limits.sharingEventsADay) events today. Try again tomorrow.")
    }

    func write(_ differences: [RecordDifference], of ledger: Ledger, in transaction: any Transaction) throws {
        guard let account = ledger.account else { return }
        let new = differences.filter { one in
            one.place.feed == account.retyped() && !one.new.state.isDeleted && one.old?.state.isDeleted ?? true
        }
        if new.isEmpty { return }
        try Self.quota.take(new.count, by: .account(account), at: ledger.now, in: transaction)
        try SharingOrder.give(.event, about: new.map(\.place), of: account, at: ledger.now, in: transaction)
    }
}
