import KithModel

/// An item stores its author, and cannot have the id of an account.
struct ItemRules: CollectionRules {
    let schema = ListItem.schema

    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds) {
        if mutation.seen == 0 || mutation.change == .delete { needs.newIDs.insert(mutation.record.retyped()) }
    }

    func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection) {
        if edit.isNew && !canHave(edit.mutation.record, in: ledger) {
            throw .init(.invalid, "An item cannot have this id: it belongs to something else.")
        }
    }

    /// A restored server may lack the item. The tombstone ensures that a device that sends the item again finds it
    /// deleted.
    func leavesTombstone(_ edit: JudgedMutation, in ledger: Ledger) -> Bool {
        edit.mutation.change == .delete && edit.mutation.seen > 0 && canHave(edit.mutation.record, in: ledger)
    }

    private func canHave(_ id: RecordID<Never>, in ledger: Ledger) -> Bool {
        !ledger.known.accountIDs.contains(id.retyped()) && id.uuid.halves != (0, 0)
    }

    func complete(_ state: inout RecordState, after edit: JudgedMutation) {
        if edit.isNew { state.fields["creator"] = .text(edit.account.description) }
    }

    func write(_ differences: [RecordDifference], of ledger: Ledger, in transaction: any Transaction) throws {
        let deleted = differences.filter(\.new.state.isDeleted).map(\.place)
        try transaction.delete(from: "gift", ["list", "item"], deleted.map { [.id($0.feed), .id($0.record)] })
    }
}
