import KithModel

/// A person who removes a list from their own lists leaves it.
struct MembershipRules: CollectionRules {
    let schema = Membership.schema

    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds) {
        if mutation.change == .delete { needs.changeRoles(of: account, in: mutation.record.retyped()) }
    }

    func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection) {
        guard edit.mutation.change == .delete else { return }
        let role = ledger.role(of: edit.account, in: edit.mutation.record.retyped())
        if let fault = Member.fault(ofEnding: role) { throw .init(fault) }
    }

    func follow(_ edit: JudgedMutation, making state: RecordState, in ledger: inout Ledger) {
        if edit.mutation.change == .delete { ledger.leave(edit.account, edit.mutation.record.retyped()) }
    }
}
