import Foundation
import KithModel
import KithServer
import Testing

/// Phones that edit, share, leave and lose answers at random, under one seed.
@Suite("Random rounds") struct RandomRoundsTests {
    private struct World {
        let town: Town
        var phones: [Phone]
        var lists: [FeedID] = []
        /// The items of each list, deleted ones included.
        var items: [FeedID: [RecordID<Never>]] = [:]
        var random: SplitMix64
        /// What happened, to compare one run with another.
        var story: [String] = []

        init(seed: UInt64) throws {
            let town = try Town()
            self.town = town
            random = SplitMix64(seed: seed)
            phones = try (0..<3).map { _ in try town.phone() }
            // The third account has two devices.
            phones.append(Phone(town, account: phones[2].account))
        }

        /// A round of any phone but the one that is `resting`.
        mutating func step(resting: Int? = nil) throws {
            let (index, request) = try request(resting: resting)
            let page = [1, 3, 10_000].randomElement(using: &random) ?? 1
            // An answer may be lost, and the request sent again.
            for _ in 0..<Int.random(in: 0...2, using: &random) { _ = try phones[index].send(request, page: page) }
            let synced = try phones[index].send(request, page: page)
            phones[index].apply(synced.answer)
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            story.append(String(decoding: try encoder.encode(synced.answer), as: UTF8.self))
        }

        mutating func request(resting: Int? = nil) throws -> (phone: Int, request: SyncRequest) {
            town.pass(.milliseconds(Int64.random(in: -500...5_000, using: &random)))
            let index = try #require(phones.indices.filter { $0 != resting }.randomElement(using: &random))
            if Int.random(in: 0..<12, using: &random) == 0 { try invite(to: index) }
            let edits = (0..<Int.random(in: 0...6, using: &random)).map { _ in edit(phones[index]) }
            let isGrouped = Int.random(in: 0..<3, using: &random) == 0
            return (index, phones[index].request(edits, grouped: isGrouped))
        }

        /// A request whose token may be of another epoch, or of a revision that the database has not reached.
        mutating func requestWithAnyToken() throws -> (phone: Int, request: SyncRequest) {
            var one = try request()
            guard var position = one.request.token.flatMap({ RevisionPosition($0) }) else { return one }
            if Int.random(in: 0..<8, using: &random) == 0 { position.epoch = "restored" }
            if Int.random(in: 0..<8, using: &random) == 0 { position.revision = Revision(1_000_000) }
            one.request.token = position.token
            return one
        }

        private mutating func invite(to index: Int) throws {
            guard let list = lists.randomElement(using: &random), let host = try owner(of: list) else { return }
            let guest = phones[index]
            guard guest.account != host.account else { return }
            do {
                try town.join(guest, list, of: host, as: Bool.random(using: &random) ? .editor : .viewer)
            } catch let error as ServerError where error.code == .forbidden {
                // The owner has removed the guest before.
            }
        }

        private func owner(of list: FeedID) throws -> Phone? {
            try phones.first { try town.role($0.account, list) == .owner }
        }

        private mutating func edit(_ phone: Phone) -> Mutation {
            // Mostly the same few lists and items, so that edits meet.
            let choices = Int.random(in: 0..<4, using: &random) == 0 ? lists[...] : lists.suffix(2)
            let list = choices.randomElement(using: &random) ?? town.id()
            let place = Int.random(in: 0..<8, using: &random) == 0 ? lists.randomElement(using: &random) ?? list : list
            let item = items[place, default: []].suffix(4).randomElement(using: &random) ?? town.id()
            let person = phones.randomElement(using: &random)?.account ?? phone.account
            let age = Int64.random(in: 0...20_000, using: &random)
            switch lists.isEmpty ? 0 : Int.random(in: 0..<20, using: &random) {
            case 0, 1:
                let new: FeedID = town.id()
                lists.append(new)
                return phone.create(new)
            case 2...7:
                let new: RecordID<Never> = town.id()
                items[list, default: []].append(new)
                return phone.item(new, in: list)
            case 8...10: return phone.mutation(list, .items, item, .set(["title": .text("\(age)")]), age: age)
            case 11:
                return phone.mutation(list, .items, item, .edit(set: ["ticked": true], add: ["count": 1]), age: age)
            case 12, 13: return phone.mutation(list, .items, item, .delete)
            case 14: return phone.role(Role.allCases.randomElement(using: &random) ?? .viewer, of: person, in: list)
            case 15: return phone.mutation(list, .members, person.retyped(), .delete)
            case 16: return phone.leave(list)
            case 17: return phone.mutation(list, .lists, list.retyped(), .set(["name": .text("\(age)")]), age: age)
            case 18: return phone.mutation(list, .items, item, .set(["title": ""]))
            default:
                return Int.random(in: 0..<4, using: &random) == 0
                    ? phone.mutation(list, .lists, list.retyped(), .delete)
                    : phone.mutation(phone.home, .memberships, list.retyped(), .set(["position": "a0"]), age: age)
            }
        }
    }

    @Test("digests, counts, roles and replicas agree after any rounds", arguments: 0..<30 as Range<UInt64>)
    func agreement(seed: UInt64) throws {
        var world = try World(seed: seed)
        for _ in 0..<60 { try world.step() }
        for index in world.phones.indices { try world.phones[index].sync(page: 7) }
        try checkFeeds(world)
        for phone in world.phones { try checkReplica(of: phone, world) }
        #expect(world.phones[2].replica == world.phones[3].replica)
    }

    @Test(
        "the answer from what a push knows equals the answer that reads it: in parts, after pushes of others, with any token",
        arguments: 0..<30 as Range<UInt64>)
    func knownAnswers(seed: UInt64) throws {
        var world = try World(seed: seed)
        for _ in 0..<10 { try world.step() }
        for _ in 0..<40 {
            let (index, request) = try world.requestWithAnyToken()
            let (account, database) = (world.phones[index].account, world.town.database)
            var parts = RequestParts(SyncRound(request, as: account, at: world.town.now))
            let size = Bool.random(using: &world.random) ? 1 : Int.max
            var pushed: PushResult?
            repeat {
                var round = parts.rest
                round.now = world.town.now
                let part = try database.writeNow { [round, named = parts.named] in
                    try round.push(atMost: size, after: named, in: $0)
                }
                pushed = parts.take(part)
                if Bool.random(using: &world.random) { try world.step(resting: index) }
            } while pushed == nil && !request.mutations.isEmpty
            var forgetful = try #require(pushed)
            (forgetful.outcomes, forgetful.named, forgetful.feeds) = (nil, nil, nil)
            let whole = SyncRound(request, as: account, at: world.town.now)
            let page = [2, 10_000, 10_000].randomElement(using: &world.random) ?? 2
            let answers = try [pushed, forgetful].map { pushed in
                try database.readNow {
                    try whole.pull(
                        after: pushed, size: AnswerSize(records: page, bytes: Limits.pageBytes), in: $0
                    ).answer
                }
            }
            #expect(answers[0] == answers[1])
            world.phones[index].apply(answers[0])
            // As long as a device continues an answer, all its feeds are read.
            if answers[0].more && Bool.random(using: &world.random) { try world.phones[index].sync() }
        }
    }

    @Test("the same seed gives the same run, byte for byte", arguments: [3, 4] as [UInt64])
    func sameStory(seed: UInt64) throws {
        let runs = try (0..<2).map { _ in
            var world = try World(seed: seed)
            for _ in 0..<30 { try world.step() }
            return (world.story, try world.town.everything())
        }
        #expect(runs[0].0 == runs[1].0)
        #expect(runs[0].1 == runs[1].1)
    }

    /// What a feed's row says of its records is what a fresh computation finds.
    private func checkFeeds(_ world: World) throws {
        for feed in world.lists + world.phones.map(\.home) {
            guard let row = try world.town.row(feed) else { continue }
            let records = try world.town.database.readNow { transaction in
                try transaction.query(
                    """
                    SELECT id, sequence, 0, collection, fields FROM record WHERE feed = ?
                    UNION ALL SELECT id, sequence, 1, collection, NULL FROM tombstone WHERE feed = ?
                    """, [.id(feed), .id(feed)])
            }
            var digest = FeedDigest()
            for record in records where try !record.flag(2) {
                digest.add(try record.id(0), sequence: try record.integer(1))
            }
            #expect(row.digest == digest)
            #expect(row.live == Int64(try records.filter { try !$0.flag(2) }.count))
            #expect(row.sequence == (try records.map { try $0.integer(1) }.max() ?? 0))
            #expect(Set(try records.map { try $0.integer(1) }).count == records.count)
            #expect(Set(records.map { $0.values[0] }).count == records.count)
            if row.kind == .list && !row.isClosed { try checkPeople(of: feed, records, world) }
        }
    }

    /// Access, members and memberships tell the same, and there is one owner.
    private func checkPeople(of list: FeedID, _ records: [SQLRow], _ world: World) throws {
        var members: [RecordID<Never>: FieldValue] = [:]
        for record in records where try record.text(3) == "member" && !record.flag(2) {
            members[try record.id(0)] = try StoredText.fields(try record.text(4))["role"]
        }
        var owners = 0
        for account in Set(world.phones.map(\.account)) {
            let role = try world.town.role(account, list).map { FieldValue.text($0.rawValue) }
            let membership = try world.town.record(account.retyped(), list.retyped())
            #expect(members[account.retyped()] == role)
            #expect(membership?.state.fields["role"] == role)
            if role == "owner" { owners += 1 }
        }
        #expect(owners == 1)
        let access = try world.town.record(list, list.retyped())?.state.fields["access"] ?? "private"
        #expect(access == (members.count > 1 ? "shared" : "private"))
    }

    /// A replica has the feeds that its account can read, and of these all and only the live records.
    private func checkReplica(of phone: Phone, _ world: World) throws {
        let readable = try world.lists.filter { try world.town.role(phone.account, $0) != nil }
        #expect(Set(phone.replica.keys) == Set(readable + [phone.home]))
        for feed in readable + [phone.home] { #expect(phone.digest(feed) == (try world.town.row(feed)?.digest)) }
    }
}
