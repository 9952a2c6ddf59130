package import KithModel

/// Shows people's profiles to others, each as far as its owner lets that one see.
///
/// A block changes nothing here: who is blocked goes on seeing what they saw, and so cannot tell.
package struct ProfileViewing {
    private let transaction: any Transaction

    /// A viewing over what `transaction` reads.
    package init(_ transaction: any Transaction) {
        self.transaction = transaction
    }

    /// What `viewer` may see of `account`; nil if there is no such account. To oneself all is shown.
    package func shown(of account: AccountID, to viewer: AccountID) throws -> ShownProfile? {
        try shown(of: [account], to: viewer).first
    }

    /// What `viewer` may see of these accounts, in their order. Those that do not exist are left out.
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
        let fields = try fields(
            at: accounts.map { .profile(of: $0) } + accounts.map { .contact($0, of: viewer) })
        return accounts.compactMap { account in
            guard let isBot = bots[account] else { return nil }
            let profile = fields[.profile(of: account)] ?? [:]
            if account == viewer {
                return ShownProfile(
                    account: account, fields: profile, isBot: isBot,
                    detailsTag: ProfileView.summary(of: profile, toNetwork: true).detailsTag)
            }
            let isInNetwork = fields[.contact(account, of: viewer)].map(Self.isConnected) ?? false
            return ShownProfile(
                account: account, fields: Profile.shown(profile, toNetwork: isInNetwork), isBot: isBot,
                detailsTag: ProfileView.summary(of: profile, toNetwork: isInNetwork).detailsTag)
        }
    }

    /// Whether a contact record with these fields is of someone that its owner is connected with.
    static func isConnected(_ contact: Fields) -> Bool {
        let wish = contact["wish"]?.text.flatMap(NetworkContact.Wish.init) ?? .none
        return NetworkContact.relation(wish, isAsked: contact["asked"] != nil) == .connected
    }

    private func fields(at places: [RecordKey]) throws -> [RecordKey: Fields] {
        let rows = try transaction.query(
            wanted: ["feed", "id"], Set(places).sorted().map { [.id($0.feed), .id($0.record)] },
            """
            SELECT record.feed, record.id, fields FROM wanted CROSS JOIN record
            WHERE record.feed = wanted.feed AND record.id = wanted.id AND deleted = 0
            """)
        return Dictionary(
            uniqueKeysWithValues: try rows.map {
                (RecordKey(try $0.id(0), try $0.id(1)), try StoredText.fields(try $0.text(2)))
            })
    }
}
