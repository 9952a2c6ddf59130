import KithModel

/// The role of a member record is the role of the person's access. A list always has one owner.
struct MemberRules: CollectionRules {
    let schema = Member.schema
    let usesStorage = false

    /// What is known of the people of lists besides their records.
    struct Facts: LedgerFacts {
        /// The people that the owners of lists have removed.
        var removed: [FeedID: [RemovedPerson]] = [:]
    }

    func isAbout(_ account: AccountID, _ mutation: Mutation) -> Bool { mutation.record == account.retyped() }

    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds) {
        needs.changeRoles(of: account, mutation.record.retyped(), in: mutation.feed)
    }

    func addPlaces(
        for needs: LedgerNeeds, by account: AccountID?, _ access: [FeedID: [AccountID: Role]],
        to places: inout LedgerPlaces
    ) {
        for (list, need) in needs.lists {
            guard var people = need.people else { continue }
            if need.mayEnd { people.formUnion(access[list, default: [:]].keys) }
            places.records.insert(.list(list))
            // A person who is neither in the list nor the caller is not affected, so that feed is not read.
            for person in people where person == account || access[list]?[person] != nil {
                places.accounts.insert(person)
                places.records.formUnion([
                    .member(person, of: list), .profile(of: person), .membership(person, of: list),
                ])
            }
        }
    }

    func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection) {
        let leaves =
            switch edit.mutation.change {
            case .delete: true
            case .edit(let set, _): set["role"] != nil
            }
        let role = ledger.role(of: edit.mutation.record.retyped(), in: edit.mutation.feed)
        if leaves, let fault = Member.fault(ofEnding: role) { throw .init(fault) }
    }

    func check(
        _ edit: JudgedMutation, making state: RecordState, at now: Timestamp, in ledger: Ledger
    ) throws(Judgement.Rejection) {
        guard case .edit(let set, _) = edit.mutation.change, set["role"] == .text(Role.owner.rawValue),
            !ledger.known.room.fits(edit.mutation.feed, edit.mutation.record.retyped())
        else { return }
        throw .init(
            .full, "The new owner's account has no space for this list. Remove something from the list first.")
    }

    func follow(_ edit: JudgedMutation, making state: RecordState, in ledger: inout Ledger) {
        let (person, list): (AccountID, FeedID) = (edit.mutation.record.retyped(), edit.mutation.feed)
        switch edit.mutation.change {
        case .edit:
            guard let role = state.fields["role"]?.text.flatMap(Role.init) else { return }
            if role == .owner && ledger.role(of: person, in: list) != .owner {
                ledger.handOverBytes(of: list, to: person)
            }
            ledger.appoint(person, role, in: list)
        case .delete:
            if person != edit.account {
                let name = edit.old?.fields["name"]?.text ?? edit.old?.fields["profileName"]?.text
                // Who was removed cannot join again.
                let removed = RemovedPerson(account: person, name: name, removed: ledger.now)
                ledger[Facts.self].removed[list, default: []].append(removed)
            }
            ledger.leave(person, list)
        }
    }

    func write(_ differences: [RecordDifference], of ledger: Ledger, in transaction: any Transaction) throws {
        try RemovedTable.add(ledger[Facts.self].removed, in: transaction)
    }
}
