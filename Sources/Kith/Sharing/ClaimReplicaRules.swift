import KithModel

/// The device's rules for codes that the account has used.
struct ClaimReplicaRules: ReplicaRules {
    let schema = Claim.schema
    let content = StoreContent.records

    func title(of fields: Fields) -> String? { fields["code"]?.text }

    /// Moves the codes that the server does not know: whoever continues on the device has used them.
    func moveUnsent(_ move: UnsentMove) throws {
        let known = Set(try Claim.fetchAll(in: move.newStore).map(\.code))
        for (key, record, unsent) in try move.unconfirmed(in: .claims) {
            guard let claim = Claim(key, record), !known.contains(claim.code) else { continue }
            // The server may have the claim under its identity, as one of the old account.
            let isNew = try move.wasSent(key) || move.newRecord(key) != nil
            let id: ClaimID = isNew ? move.transaction.dependencies.makeID() : claim.id
            try move.write(record.fields, to: Claim.recordKey(id))
            try move.withdraw(unsent, of: key)
        }
    }
}
