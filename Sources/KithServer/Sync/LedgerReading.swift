import KithModel

/// What a ledger has to be opened with: known before anything is read.
struct LedgerNeeds: Sendable {
    /// Lists whose feeds are touched.
    var lists: Set<FeedID> = []
    /// Of these, the lists whose people may change: everyone's access is read.
    var peopled: Set<FeedID> = []
    /// Of these, the lists that may end: everyone's feed is touched.
    var ending: Set<FeedID> = []
    /// People whose feeds are touched, by list: those who may come, go or change their role there.
    var people: [FeedID: Set<AccountID>] = [:]
    /// Accounts whose own feeds are touched.
    var accounts: Set<AccountID> = []
    /// People whose records of each other are touched, and whose profiles are shown there.
    var pairs: [Pair] = []
    /// Pictures that the profile of who asks is to name, by their hashes.
    var pictures: Set<String> = []
    /// When who asks was last online, if that is not written down yet.
    var seen: Timestamp?
    /// How many bytes of records an owner may have, if what is edited is held to that.
    var storage: Int64?
    /// Whether the lists of who asks are counted.
    var countsLists = false
    /// The ids that new items are to have, or the tombstones of forgotten ones. An account's is not for them: it is its
    /// member's.
    var newItems: Set<FeedID> = []
    /// The records that are named.
    var records: Set<RecordKey> = []

    /// `account` may come to `list`, go, or change its role.
    mutating func person(_ account: AccountID, in list: FeedID) {
        peopled.insert(list)
        lists.insert(list)
        people[list, default: []].insert(account)
    }

    /// What these mutations of `account` may touch, with all that may follow.
    init(_ mutations: ArraySlice<Mutation>, of account: AccountID) {
        for mutation in mutations {
            records.insert(RecordKey(mutation.feed, mutation.record))
            if mutation.feed == account.retyped() { accounts.insert(account) } else { lists.insert(mutation.feed) }
            switch mutation.collection {
            case .lists where mutation.change == .delete:
                person(account, in: mutation.feed)
                ending.insert(mutation.feed)
            case .lists where mutation.seen == 0:
                // It may be a new one.
                person(account, in: mutation.feed)
                countsLists = true
            case .items where mutation.seen == 0 || mutation.change == .delete:
                newItems.insert(mutation.record.retyped())
            case .members:
                person(account, in: mutation.feed)
                person(mutation.record.retyped(), in: mutation.feed)
            case .memberships where mutation.change == .delete:
                person(account, in: mutation.record.retyped())
            case .contacts where mutation.feed == account.retyped():
                pairs.append(Pair(account: account, peer: mutation.record.retyped()))
            case .profiles: pictures.formUnion(Pictures.named(in: mutation.change))
            default: break
            }
        }
    }

    init() {}
}

extension Ledger {
    /// How many people an account may ask in a day.
    static let requestQuota = DailyQuota(
        kind: "request", noun: "requests to connect", limit: Limits.requestsADay)

    /// Reads and locks what is needed: lists' feeds first, then accounts', each in the order of their ids.
    ///
    /// `account` is who asks; nil for the server itself.
    static func open(
        _ needs: LedgerNeeds, for account: AccountID?, at now: Timestamp, device: Int64 = 0,
        in transaction: any Transaction
    ) throws -> Ledger {
        let named = try FeedRow.lock(needs.lists.union(needs.newItems), in: transaction)
        var feeds = named.filter { $0.kind == .list && needs.lists.contains($0.id) }

        var access: [FeedID: [AccountID: Role]] = [:]
        let granted = try transaction.query(
            wanted: ["feed", "everyone"],
            needs.lists.sorted().map { [.id($0), .flag(needs.peopled.contains($0))] },
            """
            SELECT access.feed, access.account, access.role FROM wanted CROSS JOIN access
            WHERE access.feed = wanted.feed AND (wanted.everyone = 1 OR access.account = ?)
            """, [account.map { .id($0) } ?? .null])
        // In the account's own feed it is at home.
        if let account { access[account.retyped()] = [account: .owner] }
        for row in granted { access[try row.id(0), default: [:]][try row.id(1)] = Role(rawValue: try row.text(2)) }

        var people = needs.people
        for list in needs.ending { people[list, default: []].formUnion(access[list, default: [:]].keys) }
        var accounts = needs.accounts
        var places = needs.records
        for (list, people) in people {
            places.insert(.list(list))
            // Someone who is not in the list, and does not ask, has nothing to lose there: that feed is left alone.
            for person in people where person == account || access[list]?[person] != nil {
                accounts.insert(person)
                places.insert(.member(person, of: list))
                places.insert(.profile(of: person))
                places.insert(.membership(person, of: list))
            }
        }
        for pair in needs.pairs {
            accounts.formUnion([pair.account, pair.peer])
            places.formUnion([
                pair.mine, pair.theirs, .profile(of: pair.account), .profile(of: pair.peer),
            ])
        }
        feeds += try FeedRow.lock(Set(accounts.map { $0.retyped() }), in: transaction).filter { $0.kind == .account }

        let records = try StoredRecord.read(places, in: transaction)
        var beside = Beside()
        beside.foreign = Set(named.filter { $0.kind != .list }.map(\.id))
        beside.publicLists = try publicLists(of: needs.peopled, at: now, in: transaction)
        beside.bots = try bots(of: needs.pairs, in: transaction)
        if let account {
            if let storage = needs.storage {
                let heirs = needs.people.values.reduce(into: Set<AccountID>()) { $0.formUnion($1) }
                beside.room = try StorageRoom.open(
                    feeds.filter { $0.kind == .list }, heirs: heirs, for: account, limit: storage, in: transaction)
            }
            if needs.countsLists { beside.lists = try lists(of: account, in: transaction) }
            beside.pictures = try Pictures.sizes(of: needs.pictures, of: account, in: transaction)
            if !needs.pairs.isEmpty {
                beside.seen = try [needs.seen, LastSeen.read(of: account, in: transaction)].compactMap(\.self).max()
                beside.requestsLeft = try requestQuota.allowance(of: account, at: now, in: transaction).left
            }
        }
        return Ledger(
            now: now, account: account, device: device, feeds: feeds, access: access, records: records, beside: beside)
    }

    private static func publicLists(
        of lists: Set<FeedID>, at now: Timestamp, in transaction: any Transaction
    ) throws -> Set<FeedID> {
        let rows = try transaction.query(
            wanted: ["list"], lists.sorted().map { [.id($0)] },
            """
            SELECT DISTINCT link.list FROM wanted CROSS JOIN link WHERE link.list = wanted.list
                AND is_public = 1 AND revoked = 0 AND (expires IS NULL OR expires > ?)
            """, [.time(now)])
        return Set(try rows.map { try $0.id(0) })
    }

    private static func bots(of pairs: [Pair], in transaction: any Transaction) throws -> Set<AccountID> {
        let people = Set(pairs.flatMap { [$0.account, $0.peer] })
        let rows = try transaction.query(
            wanted: ["id"], people.sorted().map { [.id($0)] },
            "SELECT account.id FROM wanted CROSS JOIN account WHERE account.id = wanted.id AND account.is_bot = 1")
        return Set(try rows.map { try $0.id(0) })
    }

    /// How many lists an account is in; to its own feed it has access too.
    private static func lists(of account: AccountID, in transaction: any Transaction) throws -> Int64 {
        let rows = try transaction.query("SELECT COUNT(*) FROM access WHERE account = ?", [.id(account)])
        return try rows.first.map { try $0.integer(0) - 1 } ?? 0
    }
}
