import KithModel
import KithServer
import Testing

/// A server with a clock of its own, and identities that are the same each time. Its database is in memory, or given.
final class Town {
    let database: any ImmediateDatabase
    let sessions: SessionService
    let links: TownLinks
    private let keys = DiscoveryKeys()
    var now = Timestamp(milliseconds: 1_800_000_000_000)
    private var made: UInt64 = 0

    init(_ database: (any ImmediateDatabase)? = nil) throws {
        let randomness = RandomBytes(seed: 7)
        self.database = try database ?? SQLiteDatabase.inMemory(random: randomness)
        sessions = SessionService(database: self.database, signals: .none, random: randomness)
        links = TownLinks(database: self.database, random: randomness)
    }

    /// The database, for tests of what only SQLite has.
    var sqlite: SQLiteDatabase {
        get throws { try #require(database as? SQLiteDatabase) }
    }

    func pass(_ time: Duration) { now = now + time }

    func id<Record>(_ kind: Record.Type = Record.self) -> RecordID<Record> {
        made += 1
        return RecordID(.init(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | made))
    }

    /// A town, the device of Ada, and a list that she has made.
    static func withList(_ database: (any ImmediateDatabase)? = nil) throws -> (Town, Phone, FeedID) {
        let town = try Town(database)
        var ada = try town.phone()
        let list: FeedID = town.id()
        try ada.sync(ada.create(list))
        return (town, ada, list)
    }

    /// A device with a new account.
    func phone() throws -> Phone {
        Phone(self, account: try sessions.openNow(at: now, on: database).account)
    }

    /// A device with a new account whose profile has a name.
    func person(_ name: String) throws -> Phone {
        var phone = try phone()
        try phone.sync(phone.profile(["given": .text(name)]))
        return phone
    }

    /// Gives an identity to an account, as every way to prove one does.
    func prove(_ identity: String, by phone: Phone) throws {
        let identity = try #require(Identity(identity))
        let (register, account) = (IdentityRegister(keys: keys, at: now), phone.account)
        _ = try database.writeNow { try register.add(identity, to: account, moving: true, in: $0) }
    }

    /// Purges old data, as the background job does.
    ///
    /// - Returns: The number of deleted rows.
    @discardableResult func purge(step: Int64 = 5_000) async throws -> Int {
        try await Housekeeping(database: database, signals: .none, step: step).purge(now)
    }

    /// Deletes an account, as an operator does.
    func delete(_ account: AccountID) throws {
        try database.writeNow { [now] transaction in try AccountService.delete(account, at: now, in: transaction) }
    }

    /// The texts of the queued messages of a kind, oldest first.
    func messages(_ kind: MessageKind) throws -> [String] {
        try database.readNow { transaction in
            try transaction.query(
                "SELECT body FROM message WHERE kind = ? AND state = 'queued' ORDER BY created, id",
                [.text(kind.rawValue)]
            ).map { try $0.text(0) }
        }
    }

    /// Lets `guest` join a list of `host`.
    func join(_ guest: Phone, _ list: FeedID, of host: Phone, as role: Role) throws {
        let link = try links.create(
            LinkRequest(role: role), for: list.retyped(), by: host.account, at: now)
        _ = try links.accept(link.value.token ?? "", by: guest.account, at: now)
    }

    func row(_ feed: FeedID) throws -> FeedRow? {
        // PostgreSQL locks no rows in a transaction that only reads.
        try database.writeNow { transaction in try FeedRow.lock([feed], in: transaction).first }
    }

    func record(_ feed: FeedID, _ id: RecordID<Never>) throws -> RecordRow? {
        try database.readNow { transaction in
            try RecordRow.read([RecordPlace(feed, id)], in: transaction)[RecordPlace(feed, id)]
        }
    }

    func role(_ account: AccountID, _ feed: FeedID) throws -> Role? {
        try database.readNow { transaction in
            try transaction.query("SELECT role FROM access WHERE account = ? AND feed = ?", [.id(account), .id(feed)])
                .first.flatMap { Role(rawValue: try $0.text(0)) }
        }
    }

    /// Checks that a statement finds its rows by indexes.
    ///
    /// - Returns: The steps of its plan.
    @discardableResult func expectSearches(_ sql: String) throws -> [String] {
        let plan = try SQLitePlan(of: sql, in: database)
        #expect(plan.faults.isEmpty, "\(plan.faults): \(sql)")
        return plan.steps
    }

    /// The indexes whose entries a statement of SQLite removes and writes again.
    func indexesRenewed(by sql: String) throws -> Set<String> {
        let parameters = [SQLValue](repeating: .null, count: sql.count { $0 == "?" })
        return try database.writeNow { transaction in
            // Each opcode and its first two operands.
            let program = try transaction.query("EXPLAIN \(sql)", parameters).map {
                (name: try $0.text(1), first: try $0.integer(2), second: try $0.integer(3))
            }
            let opened = Dictionary(
                program.filter { $0.name == "OpenWrite" }.map { ($0.first, $0.second) }, uniquingKeysWith: { $1 })
            let roots = Set(program.filter { $0.name == "IdxDelete" }.compactMap { opened[$0.first] })
            let names = try transaction.query("SELECT name, rootpage FROM sqlite_master").filter {
                roots.contains(try $0.integer(1))
            }
            return Set(try names.map { try $0.text(0) })
        }
    }

    func execute(_ sql: String, _ values: [SQLValue] = []) throws {
        try database.writeNow { try $0.execute(sql, values) }
    }

    /// Puts `account` into as many lists as there may be.
    func fillLists(of account: AccountID) throws {
        let rows: [[SQLValue]] = (0..<Limits.lists).map { _ in
            [.id(account), .id(id(Feed.self)), .text(Role.viewer.rawValue)]
        }
        try database.writeNow { try $0.insert(into: "access", ["account", "feed", "role"], rows) }
    }

    /// Every row of the tables that answers are made of, to compare before and after.
    func everything() throws -> [[SQLRow]] {
        try database.readNow { transaction in
            try ["feed", "record", "access", "lost_access", "device", "taken", "link", "tombstone"].map { table in
                try transaction.query("SELECT * FROM \(table) ORDER BY 1, 2, 3")
            }
        }
    }
}

/// One device as the protocol sees it: numbers, a token, and what it has read. No outbox, no merging.
struct Phone {
    let town: Town
    let account: AccountID
    /// The network that its requests come from; nil if the server does not know it.
    var network: ClientNetwork?
    var device: DeviceID
    var acknowledged = Acknowledgement.none
    var sent: Int64 = 0
    var token: SyncToken?
    /// The form of the tokens that the server gives it; that of the database if nil.
    var tokens: TokenForm?
    /// What it has read: live records only.
    private(set) var replica: [FeedID: [RecordID<Never>: RecordChange]] = [:]

    init(_ town: Town, account: AccountID) {
        self.town = town
        self.account = account
        self.device = town.id()
    }

    /// The account's own feed.
    var home: FeedID { account.retyped() }
    var me: RecordID<Never> { account.retyped() }

    // MARK: Mutations, not yet numbered

    func mutation(
        _ feed: FeedID, _ collection: RecordCollection, _ record: RecordID<Never>, _ change: Mutation.Change,
        seen: Int64 = 0, age: Int64 = 0
    ) -> Mutation {
        Mutation(
            id: town.id(), number: 0, feed: feed, collection: collection, record: record, seen: seen, age: age,
            change: change)
    }

    func create(_ list: FeedID, _ name: String = "Groceries") -> Mutation {
        mutation(list, .lists, list.retyped(), .set(["name": .text(name)]))
    }

    func item(_ id: RecordID<Never>, _ title: String = "Tea", in list: FeedID) -> Mutation {
        mutation(list, .items, id, .set(["title": .text(title), "position": "a0"]))
    }

    func role(_ role: Role, of account: AccountID, in list: FeedID) -> Mutation {
        mutation(list, .members, account.retyped(), .set(["role": .text(role.rawValue)]))
    }

    func leave(_ list: FeedID) -> Mutation { mutation(home, .memberships, list.retyped(), .delete) }

    // MARK: Rounds

    /// A request with these mutations, numbered after those that are acknowledged; in one group if asked for.
    mutating func request(_ mutations: [Mutation], grouped: Bool = false) -> SyncRequest {
        let first = acknowledged.number + 1
        let numbered = zip(first..., mutations).map { number, mutation in
            var mutation = mutation
            mutation.number = number
            if grouped { mutation.group = first }
            return mutation
        }
        sent = max(sent, acknowledged.number + Int64(mutations.count))
        return SyncRequest(
            account: account, device: device, acknowledged: acknowledged, sent: sent, mutations: numbered,
            token: token)
    }

    /// Sends the request and does nothing with the answer, as if it were lost.
    func send(_ request: SyncRequest, page: Int = Limits.page, bytes: Int = Limits.pageBytes) throws -> Synced {
        try town.database.sync(
            request, as: account, at: town.now, size: AnswerSize(records: page, bytes: bytes),
            under: SyncRound.Terms(network: network, tokens: tokens))
    }

    /// A whole round with these mutations, and further ones while there is more to read.
    @discardableResult
    mutating func sync(_ mutations: Mutation..., grouped: Bool = false, page: Int = Limits.page) throws -> Synced {
        try sync(mutations, grouped: grouped, page: page)
    }

    @discardableResult
    mutating func sync(_ mutations: [Mutation], grouped: Bool = false, page: Int = Limits.page) throws -> Synced {
        let synced = try send(request(mutations, grouped: grouped), page: page)
        apply(synced.answer)
        var last = synced.answer
        while last.more {
            last = try send(request([]), page: page).answer
            apply(last)
        }
        return synced
    }

    /// The outcomes of a round with these mutations, as words: `applied`, `superseded`, or the code of the rejection.
    mutating func outcomes(_ mutations: Mutation..., grouped: Bool = false) throws -> [String] {
        let first = acknowledged.number + 1
        let answer = try sync(mutations, grouped: grouped).answer
        return (first..<(first + Int64(mutations.count))).map { number in
            let outcome = answer.outcomes.first { $0.number == number }
            return outcome?.code?.rawValue ?? outcome?.result.rawValue ?? "applied"
        }
    }

    mutating func apply(_ answer: SyncAnswer) {
        acknowledged = answer.acknowledged
        token = answer.token
        for feed in answer.lost { replica[feed] = nil }
        for feed in answer.feeds { apply(feed) }
    }

    private mutating func apply(_ feed: FeedChanges) {
        var records = replica[feed.feed] ?? [:]
        if let page = feed.page {
            let covered = records.keys.filter { id in
                (page.after.map { $0 < id } ?? true) && (page.through.map { id <= $0 } ?? true)
            }
            for id in covered { records[id] = nil }
            for record in page.records { records[record.id] = record }
        }
        for change in feed.changes { records[change.id] = change.fields == nil ? nil : change }
        replica[feed.feed] = records
    }

    /// The digest of what the replica has of a feed.
    func digest(_ feed: FeedID) -> FeedDigest {
        var digest = FeedDigest()
        for record in (replica[feed] ?? [:]).values { digest.add(record.id, sequence: record.sequence) }
        return digest
    }

    func fields(_ feed: FeedID, _ id: RecordID<Never>) -> Fields? { replica[feed]?[id]?.fields }
}
