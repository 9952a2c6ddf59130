package import KithModel

/// Shows people's profiles to others, each as far as its owner permits.
///
/// A block changes nothing here. A blocked person still sees the same, and so cannot detect the block.
package struct ProfileViewing {
    private let transaction: any Transaction

    /// Creates a viewing of the data that `transaction` reads.
    package init(_ transaction: any Transaction) {
        self.transaction = transaction
    }

    /// The part of the profile of `account` that `viewer` may see; nil if the account does not exist. An account sees
    /// its own profile completely.
    package func shown(of account: AccountID, to viewer: AccountID) throws -> ShownProfile? {
        try shown(of: [account], to: viewer).first
    }

    /// The part of the profile of an existing account that `viewer` may see.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is no such account.
    func profile(of account: AccountID, to viewer: AccountID) throws -> ShownProfile {
        guard let shown = try shown(of: account, to: viewer) else {
            throw ServerError(.notFound, "There is no such account.")
        }
        return shown
    }

    /// The discoverable people, except `viewer`, whose names begin with the words of `name`.
    ///
    /// - Throws: ``ServerError`` with the code `malformed` for a name that cannot be searched for.
    func find(_ name: String, for viewer: AccountID) throws -> DirectoryAnswer {
        guard let words = DirectoryName(sought: name)?.words else {
            throw ServerError(.malformed, DirectoryName.rule, path: "?name")
        }
        let found = try Directory.find(words, besides: viewer, in: transaction)
        let people = try shown(of: found.accounts, to: viewer)
        return DirectoryAnswer(people: people.inOrder(), more: found.more ? true : nil)
    }

    /// The visible parts of these accounts' profiles, in their order. Accounts that do not exist are left out.
    package func shown(of accounts: [AccountID], to viewer: AccountID) throws -> [ShownProfile] {
        let wanted = Set(accounts).sorted().map { [SQLValue.id($0)] }
        let rows = try transaction.query(
            wanted: ["id"], wanted,
            """
            SELECT account.id, account.is_bot FROM wanted CROSS JOIN account CROSS JOIN feed
            WHERE account.id = wanted.id AND feed.id = wanted.id AND feed.closed = 0
            """)
        let bots: [AccountID: Bool] = Dictionary(
            uniqueKeysWithValues: try rows.map { (try $0.id(0), try $0.flag(1)) })
        let records = try RecordRow.read(
            Set(accounts.map { .profile(of: $0) } + accounts.map { .contact($0, of: viewer) }), in: transaction)
        return accounts.compactMap { account in
            guard let isBot = bots[account] else { return nil }
            let profile = records[.profile(of: account)]?.state.fields ?? [:]
            if account == viewer {
                return ShownProfile(
                    account: account, fields: profile, isBot: isBot,
                    detailsTag: ProfileSummary.detailsTag(of: Profile.shown(profile, toNetwork: true)))
            }
            let isConnected = records[.contact(account, of: viewer)]?.state.relation == .connected
            let shown = Profile.shown(profile, toNetwork: isConnected)
            return ShownProfile(
                account: account, fields: shown, isBot: isBot, detailsTag: ProfileSummary.detailsTag(of: shown))
        }
    }
}

extension [ShownProfile] {
    /// Sorted by family and given name, then nickname, then id, so that the order is always the same.
    fileprivate func inOrder() -> [ShownProfile] {
        func key(_ shown: ShownProfile) -> [String] {
            ["family", "given", "nick"].flatMap { DirectoryName(shown.fields[$0]?.text ?? "").words }
        }
        return map { (key($0), $0) }.sorted { left, right in
            if left.0 == right.0 { return left.1.account < right.1.account }
            return left.0.lexicographicallyPrecedes(right.0)
        }.map(\.1)
    }
}
