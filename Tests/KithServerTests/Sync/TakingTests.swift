import KithModel
import KithServer
import Testing

@Suite("Taking a mutation") struct TakingTests {
    let town: Town
    var ada: Phone
    let list: FeedID

    init() throws { (town, ada, list) = try Town.withList() }

    // MARK: The order of the checks

    @Test("Law 8: Without a role: forbidden, with the same answer whether the feed exists or not")
    mutating func forbidden() throws {
        var eve = try town.phone()
        #expect(
            try eve.outcomes(
                eve.item(town.id(), in: list), eve.item(town.id(), in: town.id()), eve.create(list),
                eve.mutation(ada.home, .memberships, list.retyped(), .delete), eve.leave(list)
            ) == ["forbidden", "forbidden", "idTaken", "forbidden", "superseded"])
        #expect(try town.record(ada.home, list.retyped())?.state.isDeleted == false)
    }

    @Test("A new list with the id of a list that the account was in, or of another account's deleted list")
    mutating func usedID() throws {
        var (ben, eve) = (try town.phone(), try town.phone())
        try town.join(ben, list, of: ada, as: .editor)
        try ben.sync(ben.leave(list))
        #expect(try ben.outcomes(ben.create(list)) == ["forbidden"])
        try ada.sync(ada.mutation(list, .lists, list.retyped(), .delete))
        #expect(try ada.outcomes(ada.create(list)) == ["forbidden"])
        let outcomes = try eve.outcomes(eve.create(list), eve.item(town.id(), in: list), grouped: true)
        #expect(outcomes == ["idTaken", "group"])
        #expect(try town.role(eve.account, list) == nil)
    }

    @Test("the wrong kind of feed, a list of another id, an id of another kind: invalid")
    mutating func invalidPlace() throws {
        let item: RecordID<Never> = town.id()
        let fields: Mutation.Change = .set(["title": "Tea", "position": "a0", "name": "Tea", "role": "viewer"])
        #expect(
            try ada.outcomes(
                ada.mutation(ada.home, .items, town.id(), fields), ada.mutation(list, .memberships, town.id(), fields),
                ada.mutation(list, .lists, town.id(), fields), ada.item(item, in: list),
                ada.mutation(list, .members, item, .delete), ada.item(list.retyped(), in: list),
                ada.item(ada.me, in: list)
            ) == ["invalid", "invalid", "invalid", "applied", "invalid", "invalid", "invalid"])
    }

    @Test("a list with the id of an account, or zero, is invalid; the mutations beside it are applied")
    mutating func takenID() throws {
        let ben = try town.phone()
        let zero = FeedID(.init(high: 0, low: 0))
        let (item, new): (RecordID<Never>, FeedID) = (town.id(), town.id())
        #expect(
            try ada.outcomes(
                ada.item(item, in: list), ada.create(ben.home), ada.create(ada.home), ada.create(zero),
                ada.item(town.id(), in: ben.home), ada.item(town.id(), in: zero), ada.create(new)
            ) == ["applied", "invalid", "invalid", "invalid", "forbidden", "forbidden", "applied"])
        #expect(try town.row(ben.home)?.kind == .account)
        #expect(try town.row(zero) == nil)
        #expect(
            try ada.outcomes(ada.create(ben.home), ada.item(town.id(), in: list), grouped: true)
                == ["invalid", "group"])
    }

    @Test("an item with the id of an account, or zero, is invalid, so that everybody can join")
    mutating func itemWithAnAccountsID() throws {
        var ben = try town.phone()
        let zero = RecordID<Never>(.init(high: 0, low: 0))
        #expect(
            try ada.outcomes(
                ada.item(ben.me, in: list), ada.item(zero, in: list), ada.item(town.id(), in: list)
            ) == ["invalid", "invalid", "applied"])
        try town.join(ben, list, of: ada, as: .editor)
        #expect(try ben.outcomes(ben.item(town.id(), in: list)) == ["applied"])
    }

    @Test("whatever ids a mutation has, it is taken or rejected, and never an error", arguments: [1, 7, 500])
    mutating func anyIDs(size: Int) throws {
        var ben = try town.phone()
        let (bens, closed, guests): (FeedID, FeedID, FeedID) = (town.id(), town.id(), town.id())
        let (item, both): (RecordID<Never>, RecordID<Never>) = (town.id(), town.id())
        try ben.sync(ben.create(bens), ben.create(guests), ben.item(both, in: guests))
        try town.join(ada, guests, of: ben, as: .editor)
        try ada.sync(
            ada.create(closed), ada.mutation(closed, .lists, closed.retyped(), .delete), ada.item(item, in: list),
            ada.item(both, in: list))
        let zero = FeedID(.init(high: 0, low: 0))
        let all: [FeedID] = [
            list, ada.home, ben.home, bens, guests, closed, zero, item.retyped(), both.retyped(), ada.device.retyped(),
        ]
        let fields: Fields = ["title": "Tea", "position": "a0", "name": "Tea", "role": "viewer"]
        var mutations: [Mutation] = []
        for feed in all {
            for record in all {
                for collection in [RecordCollection.lists, .items, .members, .memberships] {
                    let known =
                        Schema.all.first { $0.collection == collection }.map { schema in
                            fields.filter { schema[$0.key] != nil }
                        } ?? fields
                    for change in [Mutation.Change.set(known), .edit(set: [:], add: ["count": 1]), .delete] {
                        mutations.append(ada.mutation(feed, collection, record.retyped(), change))
                    }
                }
            }
        }
        var random = SplitMix64(seed: UInt64(size))
        mutations.shuffle(using: &random)
        for start in stride(from: 0, to: mutations.count, by: size) {
            let batch = Array(mutations[start..<min(start + size, mutations.count)])
            let answer = try ada.sync(batch, grouped: !(start / size).isMultiple(of: 2)).answer
            #expect(answer.device == .recognised)
        }
        try ben.sync()
        for feed in all {
            guard let row = try town.row(feed), ada.replica[feed] != nil else { continue }
            #expect(row.isClosed || ada.digest(feed) == row.digest)
        }
    }

    @Test("the greatest and the least numbers are taken or rejected, and never an error")
    mutating func anyNumbers() throws {
        let item: RecordID<Never> = town.id()
        try ada.sync(ada.item(item, in: list))
        for number in [Int64.min, -1, 0, 1, Int64.max] {
            try ada.sync(
                ada.mutation(list, .items, item, .set(["ticked": true]), seen: max(0, number), age: max(0, number)),
                ada.mutation(list, .items, item, .edit(set: [:], add: ["count": number]), age: max(0, number)))
        }
        #expect(ada.fields(list, item)?["ticked"] == true)
    }

    @Test("a collection that the server does not know: invalid") mutating func unknownCollection() throws {
        let poll = ada.mutation(list, RecordCollection(rawValue: "poll"), town.id(), .set(["title": "Where?"]))
        #expect(try ada.outcomes(poll) == ["invalid"])
    }

    @Test("a NUL in the name of a collection, which is quoted: invalid, and the sentence can be stored everywhere")
    mutating func quotedNUL() throws {
        let poll = ada.mutation(list, RecordCollection(rawValue: "a\0b"), town.id(), .set(["title": "Where?"]))
        let answer = try ada.sync(poll, ada.item(town.id(), in: list)).answer
        #expect(answer.outcomes.map(\.code) == [.invalid])
        #expect(answer.outcomes.first?.detail?.contains("“a\u{FFFD}b”") == true)
    }

    @Test("a broken field rule: invalid or forbidden, with a sentence") mutating func fieldRules() throws {
        let item: RecordID<Never> = town.id()
        let answer = try ada.sync(
            ada.item(town.id(), "", in: list), ada.item(item, in: list),
            ada.mutation(list, .items, item, .set(["creator": .text(ada.account.description)])),
            ada.mutation(list, .items, item, .edit(set: [:], add: [:])),
            ada.mutation(list, .items, item, .edit(set: [:], add: ["count": .min])),
            ada.mutation(list, .items, item, .edit(set: [:], add: ["title": 1]))
        ).answer
        #expect(answer.outcomes.map(\.number) == [2, 4, 5, 6, 7])
        #expect(answer.outcomes.map(\.code) == [.invalid, .forbidden, .invalid, .invalid, .invalid])
        #expect(answer.outcomes.allSatisfy { $0.detail?.isEmpty == false })
    }

    @Test("a rejection is short, whatever was sent") mutating func shortSentences() throws {
        let item: RecordID<Never> = town.id()
        let name = String(repeating: "x", count: 100_000)
        let answer = try ada.sync(
            ada.item(item, in: list), ada.mutation(list, .items, item, .edit(set: [:], add: [name: 1])),
            ada.mutation(list, .items, item, .set([name: 1])),
            ada.mutation(list, RecordCollection(rawValue: name), item, .set(["title": "Tea"]))
        ).answer
        #expect(answer.outcomes.count == 3)
        for outcome in answer.outcomes { #expect((1...500).contains(outcome.detail?.count ?? 0)) }
    }

    @Test("a full list accepts no more records, but still edits") mutating func fullList() throws {
        let item: RecordID<Never> = town.id()
        try ada.sync(ada.item(item, in: list))
        try town.execute("UPDATE feed SET live = ? WHERE id = ?", [.integer(Int64(Limits.records)), .id(list)])
        #expect(
            try ada.outcomes(
                ada.item(town.id(), in: list), ada.mutation(list, .items, item, .set(["ticked": true])),
                ada.mutation(list, .items, item, .delete), ada.item(town.id(), in: list), ada.item(town.id(), in: list)
            ) == ["full", "applied", "applied", "applied", "full"])
    }

    @Test("an account with a thousand lists cannot create another") mutating func fullAccount() throws {
        try town.fillLists(of: ada.account)
        let late: FeedID = town.id()
        #expect(try ada.outcomes(ada.create(late), ada.item(town.id(), in: late)) == ["full", "forbidden"])
        #expect(try town.row(late) == nil)
    }

    @Test("an account creates its thousandth list; a removal in the same request makes room")
    mutating func lastLists() throws {
        try town.fillLists(of: ada.account)
        try town.execute(
            "DELETE FROM access WHERE feed IN (SELECT feed FROM access WHERE account = ? AND role = 'viewer' LIMIT 2)",
            [.id(ada.account)])
        #expect(
            try ada.outcomes(
                ada.create(town.id()), ada.create(town.id()), ada.mutation(list, .lists, list.retyped(), .delete),
                ada.create(town.id()), ada.create(town.id())
            ) == ["applied", "full", "applied", "applied", "full"])
    }

    @Test("in a full account, a list without a name is still invalid") mutating func invalidBeforeFull() throws {
        try town.fillLists(of: ada.account)
        let new: FeedID = town.id()
        #expect(
            try ada.outcomes(ada.mutation(new, .lists, new.retyped(), .set(["theme": "green"]))) == ["invalid"])
    }

    @Test("a rejection says what happened to the record, and quotes forty letters of an unknown kind")
    mutating func sentences() throws {
        let item: RecordID<Never> = town.id()
        let poll = RecordCollection(rawValue: String(repeating: "x", count: 41))
        try ada.sync(ada.item(item, in: list), ada.mutation(list, .items, item, .delete))
        let outcomes = try ada.sync(
            ada.mutation(list, .items, item, .set(["ticked": true])),
            ada.mutation(list, .items, town.id(), .set(["ticked": true]), seen: 1),
            ada.mutation(list, poll, town.id(), .set(["title": "Where?"]))
        ).answer.outcomes
        #expect(
            outcomes.map(\.detail) == [
                "This was deleted before.", "There is no such record.",
                "This server does not know “\(String(repeating: "x", count: 40))”.",
            ])
    }

    @Test("edits of deleted or unknown records are rejected; deleting them is superseded")
    mutating func merging() throws {
        let item: RecordID<Never> = town.id()
        #expect(
            try ada.outcomes(
                ada.item(item, in: list), ada.mutation(list, .items, item, .delete),
                ada.mutation(list, .items, item, .set(["ticked": true])), ada.item(item, in: list),
                ada.mutation(list, .items, item, .delete),
                ada.mutation(list, .items, town.id(), .set(["ticked": true])),
                ada.mutation(list, .items, town.id(), .delete)
            ) == ["applied", "applied", "deleted", "deleted", "superseded", "invalid", "superseded"])
    }

    @Test("deleting an item that a restored server has forgotten is final: a resent item is deleted")
    mutating func forgottenItem() throws {
        let item: RecordID<Never> = town.id()
        #expect(
            try ada.outcomes(ada.mutation(list, .items, item, .delete, seen: 7), ada.item(item, in: list))
                == ["applied", "deleted"])
        #expect(try town.record(list, item)?.state.isDeleted == true)
    }

    @Test("deleting an unseen item leaves nothing; with any seen sequence it leaves a tombstone")
    mutating func unseenItem() throws {
        let items: [RecordID<Never>] = [town.id(), town.id()]
        #expect(
            try ada.outcomes(
                ada.mutation(list, .items, items[0], .delete, seen: 0),
                ada.mutation(list, .items, items[1], .delete, seen: 1)
            ) == ["superseded", "applied"])
        #expect(try town.record(list, items[0]) == nil)
        #expect(try town.record(list, items[1])?.state.isDeleted == true)
    }

    @Test("deleting an item with the id of an account leaves no tombstone, so that everybody can join")
    mutating func forgottenItemOfAccount() throws {
        let ben = try town.phone()
        let zero = RecordID<Never>(.init(high: 0, low: 0))
        #expect(
            try ada.outcomes(
                ada.mutation(list, .items, ben.me, .delete, seen: 7), ada.mutation(list, .items, zero, .delete, seen: 7)
            ) == ["superseded", "superseded"])
        try town.join(ben, list, of: ada, as: .editor)
        #expect(try town.role(ben.account, list) == .editor)
    }

    @Test("a new record without a required field is invalid, and the field is named")
    mutating func missingFields() throws {
        let edits: [(Mutation, field: String)] = [
            (ada.mutation(list, .items, town.id(), .set(["text": "Tea", "position": "a0"])), "title"),
            (ada.mutation(list, .items, town.id(), .set(["title": "Tea"])), "position"),
            (ada.mutation(list, .items, town.id(), .set(["title": .null, "position": "a0"])), "title"),
            (ada.mutation(list, .items, town.id(), .edit(set: [:], add: ["count": 1])), "title"),
        ]
        for (mutation, field) in edits {
            let outcome = try ada.sync(mutation).answer.outcomes.first
            #expect(outcome?.code == .invalid)
            #expect(outcome?.detail?.hasPrefix("“\(field)” is missing") == true, "\(outcome?.detail ?? "applied")")
        }
        let new: FeedID = town.id()
        let outcome = try ada.sync(ada.mutation(new, .lists, new.retyped(), .set(["theme": "green"]))).answer.outcomes
        #expect(outcome.map(\.code) == [.invalid])
        #expect(outcome.first?.detail?.hasPrefix("“name” is missing") == true)
        #expect(try town.row(new) == nil)
    }

    @Test("nobody can create a record of the server, nor a record that they have already seen")
    mutating func notBegun() throws {
        #expect(
            try ada.outcomes(
                ada.mutation(list, .members, town.id(), .set(["role": "viewer"])),
                ada.mutation(list, .items, town.id(), .set(["title": "Tea", "position": "a0"]), seen: 1)
            ) == ["forbidden", "notFound"])
    }

    @Test("an edit older than the stored one is superseded, and writes nothing")
    mutating func superseded() throws {
        let item: RecordID<Never> = town.id()
        try ada.sync(ada.item(item, in: list))
        var tablet = Phone(town, account: ada.account)
        town.pass(.seconds(60))
        try ada.sync(ada.mutation(list, .items, item, .set(["title": "Green tea"])))
        let before = try town.row(list)
        let late = tablet.mutation(list, .items, item, .set(["title": "Black tea"]), age: 30_000)
        town.pass(.seconds(10))
        #expect(try tablet.outcomes(late) == ["superseded"])
        #expect(try town.row(list) == before)
        #expect(tablet.fields(list, item)?["title"] == "Green tea")
    }

    @Test("additions of two devices add up") mutating func sums() throws {
        let item: RecordID<Never> = town.id()
        try ada.sync(ada.item(item, in: list))
        var tablet = Phone(town, account: ada.account)
        let more = ada.mutation(list, .items, item, .edit(set: [:], add: ["count": 2]))
        try ada.sync(more)
        try tablet.sync(more)
        #expect(tablet.fields(list, item)?["count"] == 5)
    }

    // MARK: Roles

    @Test("a viewer reads; an editor changes the list and its items; the owner removes the list")
    mutating func roles() throws {
        let item: RecordID<Never> = town.id()
        try ada.sync(ada.item(item, in: list))
        for (role, outcomes) in [(Role.viewer, "forbidden"), (.editor, "applied")] {
            var guest = try town.phone()
            try town.join(guest, list, of: ada, as: role)
            #expect(
                try guest.outcomes(
                    guest.item(town.id(), in: list), guest.mutation(list, .items, item, .set(["ticked": true])),
                    guest.mutation(list, .lists, list.retyped(), .set(["name": "Shop"]))
                ) == [outcomes, outcomes, outcomes])
            #expect(
                try guest.outcomes(
                    guest.mutation(list, .lists, list.retyped(), .delete),
                    guest.role(.viewer, of: ada.account, in: list),
                    guest.role(.owner, of: guest.account, in: list), guest.mutation(list, .members, ada.me, .delete),
                    guest.mutation(list, .members, town.id(), .set(["role": "viewer"])),
                    guest.mutation(list, .lists, list.retyped(), .set(["access": "public"]))
                ) == Array(repeating: "forbidden", count: 6))
            #expect(
                try guest.outcomes(
                    guest.mutation(list, .members, guest.me, .set(["name": "Guest"])),
                    guest.mutation(list, .members, ada.me, .set(["name": "Not me"])),
                    guest.mutation(guest.home, .memberships, list.retyped(), .set(["position": "a1"])),
                    guest.mutation(guest.home, .memberships, list.retyped(), .set(["role": "owner"]))
                ) == ["applied", "forbidden", "applied", "forbidden"])
        }
    }

    // MARK: Sequences

    @Test("each change takes the next sequence, and the record is kept with its last")
    mutating func sequences() throws {
        let item: RecordID<Never> = town.id()
        let before = try #require(try town.row(list))
        let edits = (1...3).map { ada.mutation(list, .items, item, .set(["title": .text("Tea \($0)")])) }
        try ada.sync([ada.item(item, in: list)] + edits)
        #expect(try town.row(list)?.sequence == before.sequence + 4)
        #expect(try town.record(list, item)?.state.sequence == before.sequence + 4)
        #expect(ada.fields(list, item)?["title"] == "Tea 3")
        #expect(try town.row(list)?.live == before.live + 1)
    }

    @Test("arrival times never run backwards in a feed") mutating func timeStandsStill() throws {
        let item: RecordID<Never> = town.id()
        let noon = town.now
        town.now = noon - .seconds(3600)
        try ada.sync(ada.item(item, in: list))
        #expect(try town.record(list, item)?.state.modified == noon)
        #expect(try town.row(list)?.writtenAt == noon)
    }

    @Test("stamps contain the low 32 bits of the device") mutating func deviceTag() throws {
        ada.device = DeviceID(.init(high: 0x0190_0000_0000_7000, low: 0x8123_4567_FEDC_BA98))
        ada.acknowledged = .none
        let item: RecordID<Never> = town.id()
        try ada.sync(ada.item(item, in: list))
        #expect(try town.record(list, item)?.state.stamps["title"].device == 0xFEDC_BA98)
    }
}
