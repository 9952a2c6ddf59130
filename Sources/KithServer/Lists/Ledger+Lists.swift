import KithModel

/// The consequences of a change to the people of a list. Mutations and links share this code.
extension Ledger {
    /// Adds `account` to `list` with this role.
    mutating func join(_ account: AccountID, _ list: FeedID, as role: Role) {
        setRole(role, of: account, in: list)
        set(["role": .text(role.rawValue)], of: .members, at: .member(account, of: list))
        set(["role": .text(role.rawValue)], of: .memberships, at: .membership(account, of: list))
        refreshName(of: account, in: list)
        settleAccess(of: list)
    }

    /// The sentence for an account that has as many lists as it may have.
    static let tooManyLists = "You have \(Limits.lists) lists; no more fit. Remove or leave one first."

    /// The number of lists of the caller, `account`. The lists were counted when the ledger was opened.
    func lists(of account: AccountID) -> Int64 { self[ListRules.Facts.self].lists + gained(by: account) }

    /// The reason why the caller cannot join `list`; nil if there is room. The ledger has counted the caller's lists.
    func fault(ofJoining list: FeedID, by account: AccountID) -> ServerError? {
        guard people(of: list).count < Limits.members else {
            return ServerError(.tooMany, "There are \(Limits.members) people in the list; no more fit.")
        }
        guard lists(of: account) < Limits.lists else {
            return ServerError(.tooMany, Self.tooManyLists)
        }
        if let record = records[.member(account, of: list)], record.collection != .members {
            return ServerError(.conflict, "Something in the list has taken your id. Ask its owner to remove it.")
        }
        return nil
    }

    /// Writes the public part of a person's name into a list, from the current profile.
    mutating func refreshName(of account: AccountID, in list: FeedID) {
        let place = RecordPlace.member(account, of: list)
        guard let member = live(place), member.collection == .members else { return }
        set(Self.memberFields(of: live(.profile(of: account))?.state.fields ?? [:]), of: .members, at: place)
    }

    /// What a list shows of a profile: the public part of the name.
    static func memberFields(of profile: Fields) -> Fields {
        ["profileName": .text(Profile(Profile.shown(profile, toNetwork: false)).fullName)]
    }

    /// Removes `account` from `list`.
    mutating func leave(_ account: AccountID, _ list: FeedID) {
        setRole(nil, of: account, in: list)
        remove(.member(account, of: list))
        remove(.membership(account, of: list))
        settleAccess(of: list)
    }

    /// Changes the role of `account` in `list`. A list has one owner: when it gets a new owner, the old owner becomes
    /// an editor.
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

    /// Deletes the list: removes everyone's access to its feed, and removes it from everyone's lists.
    mutating func end(_ list: FeedID) {
        closeFeed(of: list)
        for account in people(of: list) {
            setRole(nil, of: account, in: list)
            remove(.membership(account, of: list))
        }
    }

    /// Updates the list's field that says who can read it, from its current people and links.
    mutating func settleAccess(of list: FeedID) {
        guard let record = records[.list(list)], !record.state.isDeleted else { return }
        let isShared = people(of: list).count > 1
        let isPublic = self[ListRules.Facts.self].publicLists.contains(list)
        let access: SharedList.Access = isPublic ? .public : isShared ? .shared : .private
        let field = SharedList.schema["access"]
        if field?.shown(record.state.fields["access"]) != .text(access.rawValue) {
            set(["access": .text(access.rawValue)], of: .lists, at: .list(list))
        }
    }
}

/// The departure of a deleted account from its lists, in the background.
extension Ledger {
    /// The number of lists that a deleted account leaves in one transaction.
    private static let listsPerDeparture: Int64 = 10

    /// Removes a deleted account from its next lists.
    ///
    /// - Returns: The signals to send; nil if the account is in no list.
    static func leaveNextLists(
        _ account: AccountID, at now: Timestamp, in transaction: any Transaction
    ) throws -> Signals? {
        let rows = try transaction.query(
            "SELECT feed FROM access WHERE account = ? ORDER BY feed LIMIT ?",
            [.id(account), .integer(listsPerDeparture)])
        guard !rows.isEmpty else { return nil }
        var needs = LedgerNeeds()
        for row in rows { needs.end(try row.id(0), leaving: account) }
        var ledger = try open(needs, for: nil, at: now, in: transaction)
        for list in needs.lists.keys.sorted() { ledger.depart(account, list) }
        return try ledger.write(in: transaction)
    }

    /// Removes a deleted account from a list. If it was the owner, another person becomes the owner, or the list ends.
    private mutating func depart(_ account: AccountID, _ list: FeedID) {
        guard role(of: account, in: list) == .owner else { return leave(account, list) }
        let heirs = people(of: list).filter { $0 != account && feed($0.retyped())?.isClosed == false }.compactMap {
            person in
            role(of: person, in: list).map { role in
                let since = live(.member(person, of: list))?.state.stamps["role"].time
                return ListHeir(account: person, role: role, since: since)
            }
        }
        guard let heir = ListHeir.next(of: heirs) else {
            remove(.list(list))
            return end(list)
        }
        appoint(heir, .owner, in: list)
        leave(account, list)
    }
}
