import KithModel

/// The rules of records of which an account may have only a limited number, and which give work to the background job.
protocol LimitedRules: CollectionRules {
    /// The number of further records that the account may have.
    func room(of account: AccountID, at now: Timestamp, in transaction: any Transaction) throws -> Int
}

extension LimitedRules {
    func read(
        _ needs: LedgerNeeds, for account: AccountID?, at now: Timestamp, into known: inout KnownFacts,
        in transaction: any Transaction
    ) throws {
        guard let account, needs.limited.contains(schema.collection) else { return }
        known.roomOfCollections[schema.collection] = try room(of: account, at: now, in: transaction)
    }

    func addSignals(of difference: RecordDifference, to signals: inout Signals) { signals.topics.insert(.sharing) }
}

extension Signals.Topic {
    /// Shares, used codes and events.
    package static let sharing = Self("sharing")
}
