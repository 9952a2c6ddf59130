import KithModel
import KithServer
import Testing

/// Replicas that read the same feeds with tokens of both forms, under one seed.
@Suite("Tokens of both forms") struct TokenAgreementTests {
    /// Two devices of an account that send the same requests, one with each form of token.
    private struct Twins {
        var byRevision: Phone
        var byPosition: Phone
        /// Whether their answers have to be equal. They are not while one of them reads a list again that the account has
        /// lost and got back.
        var areEqual = true
        /// The lists of the account when the world last looked.
        var lists: Set<FeedID> = []
        var lost: Set<FeedID> = []

        init(of phone: Phone) {
            byRevision = Phone(phone.town, account: phone.account)
            byPosition = Phone(phone.town, account: phone.account)
            byPosition.tokens = .positions
        }
    }

    private struct World {
        let town: Town
        var authors: [Phone]
        var twins: [Twins]
        /// Devices whose servers change the form of the tokens at any time.
        var changing: [Phone]
        var lists: [FeedID] = []
        var items: [RecordID<Never>] = []
        var random: SplitMix64

        init(seed: UInt64) throws {
            let town = try Town()
            self.town = town
            random = SplitMix64(seed: seed)
            authors = try (0..<3).map { _ in try town.phone() }
            twins = authors.map(Twins.init)
            changing = authors.map { Phone(town, account: $0.account) }
        }

        mutating func step() async throws {
            town.pass(.seconds(Int64.random(in: 0...100, using: &random)))
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<8: try edit()
            case 8: try invite()
            case 9 where Int.random(in: 0..<4, using: &random) == 0:
                town.pass(Limits.tombstones + .seconds(1))
                try await town.purge()
            case 9..<16: try read(Int.random(in: 0..<twins.count, using: &random))
            default: try readChanging(Int.random(in: 0..<changing.count, using: &random))
            }
            try look()
        }

        private mutating func edit() throws {
            let index = Int.random(in: 0..<authors.count, using: &random)
            let edits = (0..<Int.random(in: 1...6, using: &random)).map { _ in mutation(authors[index]) }
            try authors[index].sync(edits)
        }

        /// An author changes one of the lists more often than a query looks back.
        mutating func burst() throws {
            for index in authors.indices {
                guard
                    let list = try lists.first(where: { try town.role(authors[index].account, $0) == .owner })
                else { continue }
                let new: [RecordID<Never>] = (0..<30).map { _ in town.id() }
                items += new
                try authors[index].sync(new.map { authors[index].item($0, in: list) })
                for part in 0..<3 {
                    let edits = (0..<Limits.mutations).map { number in
                        authors[index].mutation(
                            list, .items, new[number % new.count], .set(["title": .text("\(part) \(number)")]))
                    }
                    try authors[index].sync(edits)
                }
                return
            }
        }

        private mutating func invite() throws {
            let guest = authors[Int.random(in: 0..<authors.count, using: &random)]
            guard let list = lists.randomElement(using: &random),
                let host = try authors.first(where: { try town.role($0.account, list) == .owner }),
                host.account != guest.account, try town.role(guest.account, list) == nil
            else { return }
            // Whoever was removed by the owner cannot come back.
            try? town.join(guest, list, of: host, as: .editor)
        }

        private mutating func mutation(_ phone: Phone) -> Mutation {
            let list = lists.randomElement(using: &random) ?? town.id()
            let item = items.randomElement(using: &random) ?? town.id()
            switch lists.isEmpty ? 0 : Int.random(in: 0..<16, using: &random) {
            case 0, 1:
                lists.append(town.id())
                return phone.create(lists[lists.count - 1])
            case 2...7:
                items.append(town.id())
                return phone.item(items[items.count - 1], in: list)
            case 8, 9: return phone.mutation(list, .items, item, .set(["ticked": true]))
            case 10, 11: return phone.mutation(list, .items, item, .delete)
            case 12, 13: return phone.leave(list)
            case 14:
                let guest = authors[Int.random(in: 0..<authors.count, using: &random)]
                return phone.mutation(list, .members, guest.me, .delete)
            default:
                return Int.random(in: 0..<3, using: &random) == 0
                    ? phone.mutation(list, .lists, list.retyped(), .delete)
                    : phone.mutation(list, .lists, list.retyped(), .set(["name": "Tea"]))
            }
        }

        private func readable(by account: AccountID) throws -> Set<FeedID> {
            Set(try lists.filter { try town.role(account, $0) != nil })
        }

        /// Notes which lists were lost and gained again.
        private mutating func look() throws {
            for index in twins.indices {
                let now = try readable(by: twins[index].byRevision.account)
                if !twins[index].lost.isDisjoint(with: now) { twins[index].areEqual = false }
                twins[index].lost.formUnion(twins[index].lists.subtracting(now))
                twins[index].lost.subtract(now)
                twins[index].lists = now
            }
        }

        private static func request(_ phone: inout Phone, _ reread: [FeedID]) -> SyncRequest {
            var request = phone.request([])
            if !reread.isEmpty { request.reread = reread }
            return request
        }

        private mutating func chosen() -> (page: Int, reread: [FeedID], isLost: Bool) {
            let isReread = Int.random(in: 0..<8, using: &random) == 0
            return (
                [1, 2, 5, 20, 10_000].randomElement(using: &random) ?? 1,
                isReread ? lists.shuffled(using: &random).prefix(2).sorted() : [],
                Int.random(in: 0..<6, using: &random) == 0
            )
        }

        private mutating func read(_ index: Int) throws {
            let (page, reread, isLost) = chosen()
            let requests = (
                Self.request(&twins[index].byRevision, reread), Self.request(&twins[index].byPosition, reread)
            )
            let first = try twins[index].byRevision.send(requests.0, page: page).answer
            let second = try twins[index].byPosition.send(requests.1, page: page).answer
            if twins[index].areEqual {
                #expect(first.feeds == second.feeds)
                #expect(first.more == second.more)
            }
            let had = twins[index].byPosition.replica
            #expect(Set(first.lost).isSuperset(of: second.lost.filter { had[$0] != nil }))
            if isLost { return }
            twins[index].byRevision.apply(first)
            twins[index].byPosition.apply(second)
            if !first.more { try check(twins[index].byRevision) }
            if !second.more { try check(twins[index].byPosition) }
            if !first.more && !second.more {
                #expect(twins[index].byRevision.replica == twins[index].byPosition.replica)
                twins[index].areEqual = true
                twins[index].lost = []
            } else if twins[index].areEqual {
                #expect(twins[index].byRevision.replica == twins[index].byPosition.replica)
            }
        }

        private mutating func readChanging(_ index: Int) throws {
            let (page, reread, isLost) = chosen()
            changing[index].tokens = Bool.random(using: &random) ? .revisions : .positions
            let bytes = [1, 100, 1_000, Limits.pageBytes].randomElement(using: &random) ?? 1
            let request = Self.request(&changing[index], reread)
            let answer = try changing[index].send(request, page: page, bytes: bytes).answer
            if isLost { return }
            changing[index].apply(answer)
            if !answer.more { try check(changing[index]) }
        }

        /// A replica at the end has the feeds that its account can read, and their live records.
        private func check(_ phone: Phone) throws {
            #expect(Set(phone.replica.keys) == (try readable(by: phone.account)).union([phone.home]))
            for feed in phone.replica.keys { #expect(phone.digest(feed) == (try town.row(feed)?.digest)) }
        }

        /// Everybody reads to the end.
        mutating func end() throws {
            for index in twins.indices {
                try twins[index].byRevision.sync(page: 7)
                try twins[index].byPosition.sync(page: 7)
                #expect(twins[index].byRevision.replica == twins[index].byPosition.replica)
                try check(twins[index].byRevision)
                try changing[index].sync(page: 7)
                try check(changing[index])
            }
        }
    }

    @Test("lead to the same answers and to what the server has, after any steps", arguments: 0..<60 as Range<UInt64>)
    func agreement(seed: UInt64) async throws {
        var world = try World(seed: seed)
        for _ in 0..<150 { try await world.step() }
        try world.end()
    }

    @Test("also after more changes than a query looks back", arguments: 100..<104 as Range<UInt64>)
    func afterMuch(seed: UInt64) async throws {
        var world = try World(seed: seed)
        for _ in 0..<60 { try await world.step() }
        try world.burst()
        for _ in 0..<60 { try await world.step() }
        try world.burst()
        try world.end()
    }
}
