import KithModel

extension LedgerNeeds {
    /// Adds what every new record of sharing needs. Its device has chosen its id.
    mutating func addRecord(of mutation: Mutation) {
        newIDs.insert(mutation.record.retyped())
        limited.insert(mutation.collection)
    }
}

extension Ledger {
    /// Refuses a new record whose id belongs to a list or an account, because other people's records with that id may come
    /// into the feed, and a record beyond a limit.
    ///
    /// - Parameters:
    ///   - edit: The edit.
    ///   - code: The code of the rejection at the limit.
    ///   - sentence: Its sentence.
    /// - Throws: The rejection.
    func checkNew(
        _ edit: JudgedMutation, code: RejectionCode = .full, _ sentence: @autoclosure () -> String
    ) throws(Judgement.Rejection) {
        guard edit.isNew, case .edit = edit.mutation.change else { return }
        if known.usedIDs.contains(edit.mutation.record.retyped()) {
            throw .init(.invalid, "The record cannot have this id: a list or an account has it.")
        }
        let room = known.roomOfCollections[edit.mutation.collection] ?? 0
        // Counting is only necessary near the limit.
        if room < Limits.mutations, created(edit.mutation.collection) >= room { throw .init(code, sentence()) }
    }

    /// The keyed hash of the caller's network; nil if it is unknown.
    func networkHash(in transaction: any Transaction) throws -> NetworkHash? {
        try known.network.map { try MessageSecret(in: transaction, random: .system).hash(of: $0) }
    }
}
