import KithModel

/// Reads and locks the data of a ledger: first the lists' feeds, then the accounts' feeds, each in the order of their ids.
struct LedgerReader {
    let needs: LedgerNeeds
    /// The caller; nil for the server itself.
    let account: AccountID?
    /// The server's time.
    let now: Timestamp
    /// The tag of the writing device; 0 for none.
    var device: Int64 = 0
    let transaction: any Transaction

    /// Asks for the data. What depends on the first answers is read with the value.
    func ask() throws -> Pending<Ledger> {
        let listsWithPeople = needs.listsWithPeople
        let named = try NamedFeed.lock(needs.lists.keys, and: needs.newIDs, for: account, in: transaction)
        let everybody = try transaction.ask(
            wanted: ["feed"], listsWithPeople.map { [.id($0)] },
            """
            SELECT access.feed, access.account, access.role FROM wanted CROSS JOIN access
            WHERE access.feed = wanted.feed
            """)
        // Without people who may change, the places do not depend on those of the lists.
        let contents = listsWithPeople.isEmpty ? try askContents([:]) : nil
        return Pending {
            let named = try named.value()
            let lists = named.filter { $0.row.kind == .list && needs.lists[$0.row.id] != nil }
            let access = try roles(everybody.value())
            let contents = try contents ?? askContents(access)
            var feeds: [FeedID: LedgerFeed] = [:]
            for list in lists {
                var roles = access[list.row.id] ?? [:]
                if let account, let role = list.role { roles[account] = role }
                feeds[list.row.id] = LedgerFeed(list.row, owner: list.owner, roles: roles)
            }
            for home in try contents.homes.value() where home.kind == .account { feeds[home.id] = LedgerFeed(home) }
            let records = try contents.records.value()
            let known = try facts(about: named, lists)
            return Ledger(
                needs.collections, now: now, account: account, device: device, feeds: feeds, records: records,
                known: known)
        }
    }

    /// The accounts' feeds and the records that were asked for.
    private struct Contents {
        let homes: Pending<[FeedRow]>
        let records: Pending<[RecordPlace: RecordRow]>
    }

    /// Locks the accounts' feeds, and asks for them and for the records. `access` has the people of the needs'
    /// `listsWithPeople`.
    private func askContents(_ access: [FeedID: [AccountID: Role]]) throws -> Contents {
        var places = LedgerPlaces(accounts: needs.accounts, records: needs.records)
        for rules in needs.collections.all { rules.addPlaces(for: needs, by: account, access, to: &places) }
        return Contents(
            homes: try FeedRow.askLocked(Set(places.accounts.map { $0.retyped() }), in: transaction),
            records: try RecordRow.ask(places.records, in: transaction))
    }

    /// Everybody's roles in the lists of the needs' `listsWithPeople`.
    private func roles(_ rows: [SQLRow]) throws -> [FeedID: [AccountID: Role]] {
        var access: [FeedID: [AccountID: Role]] = [:]
        for row in rows { access[try row.id(0), default: [:]][try row.id(1)] = Role(rawValue: try row.text(2)) }
        return access
    }

    /// Reads everything else: the storage that is left, and what the rules of single collections have to know.
    private func facts(about named: [NamedFeed], _ lists: [NamedFeed]) throws -> KnownFacts {
        var known = KnownFacts()
        known.accountIDs = Set(named.lazy.filter { $0.row.kind != .list }.map(\.row.id))
        known.usedIDs = Set(named.lazy.map(\.row.id).filter(needs.newIDs.contains))
        known.network = needs.network
        if let account, let storage = needs.storage {
            let heirs = needs.lists.values.reduce(into: Set<AccountID>()) { $0.formUnion($1.people ?? []) }
            let hasOthers = !needs.accounts.isEmpty || lists.count < needs.lists.count
            known.room = try StorageRoom.open(
                lists, others: hasOthers, heirs: heirs, for: account, limit: storage, in: transaction)
        }
        for rules in needs.collections.all {
            try rules.read(needs, for: account, at: now, into: &known, in: transaction)
        }
        return known
    }
}
