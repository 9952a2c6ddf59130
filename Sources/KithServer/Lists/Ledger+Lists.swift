import KithModel

/// What follows from a change of who is in a list. The same code serves mutations and links.
extension Ledger {
    /// `account` is in `list` from now on, in this role.
    mutating func join(_ account: AccountID, _ list: FeedID, as role: Role) {
        setRole(role, of: account, in: list)
        set(["role": .text(role.rawValue)], of: .members, at: .member(account, of: list))
        set(["role": .text(role.rawValue)], of: .memberships, at: .membership(account, of: list))
        refreshName(of: account, in: list)
        settleAccess(of: list)
    }

    /// Writes into a list what everyone may see of a person's name, as the profile is now.
    mutating func refreshName(of account: AccountID, in list: FeedID) {
        let place = RecordPlace.member(account, of: list)
        guard let member = live(place), member.collection == .members else { return }
        let shown = Profile.shown(live(.profile(of: account))?.state.fields ?? [:], toNetwork: false)
        set(["profileName": Profile(shown).fullName.map(FieldValue.text) ?? .null], of: .members, at: place)
    }

    /// `account` is no longer in `list`.
    mutating func leave(_ account: AccountID, _ list: FeedID) {
        setRole(nil, of: account, in: list)
        remove(.member(account, of: list))
        remove(.membership(account, of: list))
        settleAccess(of: list)
    }

    /// `account` has another role in `list`. A list has one owner: a new one makes the old one an editor.
    mutating func appoint(_ account: AccountID, _ role: Role, in list: FeedID) {
        guard let old = self.role(of: account, in: list), old != role else { return }
        if role == .owner {
            for owner in people(of: list) where self.role(of: owner, in: list) == .owner {
                write(.editor, of: owner, in: list)
            }
        }
        write(role, of: account, in: list)
    }

    private mutating func write(_ role: Role, of account: AccountID, in list: FeedID) {
        setRole(role, of: account, in: list)
        set(["role": .text(role.rawValue)], of: .members, at: .member(account, of: list))
        set(["role": .text(role.rawValue)], of: .memberships, at: .membership(account, of: list))
    }

    /// The list is gone: nobody reads its feed any more, and it goes from everyone's lists.
    mutating func end(_ list: FeedID) {
        close(list)
        for account in people(of: list) {
            setRole(nil, of: account, in: list)
            remove(.membership(account, of: list))
        }
    }

    /// Lets the list say who can read it, as its people and links are now.
    mutating func settleAccess(of list: FeedID) {
        guard let record = records[.list(list)], !record.state.isDeleted else { return }
        let isShared = people(of: list).count > 1
        let access: SharedList.Access = beside.publicLists.contains(list) ? .public : isShared ? .shared : .private
        let field = SharedList.schema["access"]
        if field?.shown(record.state.fields["access"]) != .text(access.rawValue) {
            set(["access": .text(access.rawValue)], of: .lists, at: .list(list))
        }
    }
}
