import KithModel

/// The rules for contacts. An account can have many of them.
struct ContactReplicaRules: ReplicaRules {
    let schema = NetworkContact.schema
    let content = StoreContent.some { try NetworkContact.fetchAll(in: .everyone, of: $0).count }
    let isMany = true
    // The server may refuse a request: the other has cancelled theirs, or it is one too many for today. It refuses every
    // request to somebody who is blocked.
    let folding = FoldingRules(contested: ["wish"])

    func title(of fields: Fields) -> String? { Profile(fields).fullName }
    func person(of key: RecordKey) -> AccountID? { key.id.retyped() }
    func predicted(_ fields: Fields, before: Fields) -> Fields { NetworkContact.predicted(fields, before: before) }

    /// Moves unsent requests, blocks and mutes to an account of the same server. The acceptance of a request to the old
    /// account becomes a request. What ends or refuses something of the old account stays there.
    func moveUnsent(_ move: UnsentMove) throws {
        guard move.old.id == nil || move.old.home == move.new.home || move.old.home.verdict(on: move.new.home) == .same
        else { return }
        for (key, unsent) in try move.unsent(of: .contacts) where key.id.uuid != move.new.id?.uuid {
            var edits: Fields = [:]
            for mutation in unsent { if case .edit(let set, _) = mutation.change { edits.merge(set) { $1 } } }
            let there = try move.newRecord(key)
            if there?.isRemoved ?? false { continue }
            let fields = moving(edits, to: there.map { NetworkContact(key, $0) })
            if fields.isEmpty { continue }
            try move.write(fields, to: key)
            // A block ends a request that was made before it.
            var settled = Set(fields.keys)
            if settled.contains("isBlocked") { settled.insert("wish") }
            if settled.contains("mutedFrom") { settled.insert("mutedUntil") }
            let moved = unsent.filter { mutation in
                if case .edit(let set, _) = mutation.change { settled.isSuperset(of: set.keys) } else { false }
            }
            try move.withdraw(moved, of: key)
        }
    }

    /// The edits of a contact that mean something for another account, which may have the contact already.
    private func moving(_ edits: Fields, to there: NetworkContact?) -> Fields {
        var fields: Fields = [:]
        if edits["isBlocked"]?.flag ?? false { fields["isBlocked"] = true }
        let isBlocked = fields["isBlocked"] != nil || there?.isBlocked ?? false
        let wish = edits["wish"]?.text.flatMap(NetworkContact.Wish.init)
        if wish?.isForConnection ?? false, !isBlocked, there.map({ $0.relation == .none }) ?? true {
            fields["wish"] = .text(NetworkContact.Wish.connect.rawValue)
        }
        if edits["mutedFrom"]?.integer != nil {
            for name in ["mutedFrom", "mutedUntil"] { fields[name] = edits[name] }
            if there == nil { fields = fields.filter { $0.value != .null } }
        }
        return fields
    }

    /// Makes discovery run again at once, because the server may have lost the results of the last run.
    func resendDataOutsideFeeds(in transaction: ReplicaTransaction) throws {
        try Match.setDue(in: transaction.store)
    }
}
