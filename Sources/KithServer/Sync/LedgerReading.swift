import KithModel

extension Ledger {
    /// Reads and locks the required data: first the lists' feeds, then the accounts' feeds, each in the order of their
    /// ids.
    ///
    /// `account` is the caller; nil for the server itself.
    static func open(
        _ needs: LedgerNeeds, for account: AccountID?, at now: Timestamp, device: Int64 = 0,
        in transaction: any Transaction
    ) throws -> Ledger {
        let named = try FeedRow.lock(needs.lists.union(needs.claimed), in: transaction)
        var feeds = named.filter { $0.kind == .list && needs.lists.contains($0.id) }

        var access: [FeedID: [AccountID: Role]] = [:]
        let granted = try transaction.query(
            wanted: ["feed", "everyone"],
            needs.lists.sorted().map { [.id($0), .flag(needs.peopled.contains($0))] },
            """
            SELECT access.feed, access.account, access.role FROM wanted CROSS JOIN access
            WHERE access.feed = wanted.feed AND (wanted.everyone = 1 OR access.account = ?)
            """, [account.map { .id($0) } ?? .null])
        // The account owns its own feed.
        if let account { access[account.retyped()] = [account: .owner] }
        for row in granted { access[try row.id(0), default: [:]][try row.id(1)] = Role(rawValue: try row.text(2)) }

        var places = LedgerPlaces(accounts: needs.accounts, records: needs.records)
        for rules in Collections.all { rules.addPlaces(for: needs, by: account, access, to: &places) }
        let homes: Set<FeedID> = Set(places.accounts.map { $0.retyped() })
        feeds += try FeedRow.lock(homes, in: transaction).filter { $0.kind == .account }

        let records = try RecordRow.read(places.records, in: transaction)
        var beside = Beside()
        beside.foreign = Set(named.filter { $0.kind != .list }.map(\.id))
        if let account, let storage = needs.storage {
            let heirs = needs.people.values.reduce(into: Set<AccountID>()) { $0.formUnion($1) }
            beside.room = try StorageRoom.open(
                feeds.filter { $0.kind == .list }, heirs: heirs, for: account, limit: storage, in: transaction)
        }
        for rules in Collections.all {
            try rules.read(needs, for: account, at: now, into: &beside, in: transaction)
        }
        return Ledger(
            now: now, account: account, device: device, feeds: feeds, access: access, records: records, beside: beside)
    }
}
