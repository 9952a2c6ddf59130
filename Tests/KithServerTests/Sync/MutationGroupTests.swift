import KithModel
import KithServer
import Testing

@Suite("Mutations that are taken as a group") struct MutationGroupTests {
    let town: Town
    var ada: Phone
    let list: FeedID

    init() throws { (town, ada, list) = try Town.withList() }

    @Test("a list and its items in one request, alone or as one group", arguments: [false, true])
    mutating func listWithItems(grouped: Bool) throws {
        let new: FeedID = town.id()
        let outcomes = try ada.outcomes(
            ada.create(new), ada.item(town.id(), in: new), ada.item(town.id(), in: new), grouped: grouped)
        #expect(outcomes == ["applied", "applied", "applied"])
        #expect(try town.row(new)?.live == 4)
    }

    @Test("each group is checked against the roles after the earlier groups") mutating func rolesInOrder() throws {
        var ben = try town.phone()
        try town.join(ben, list, of: ada, as: .viewer)
        #expect(
            try ada.outcomes(
                ada.role(.owner, of: ben.account, in: list), ada.role(.viewer, of: ben.account, in: list),
                ada.item(town.id(), in: list), ada.leave(list), ada.item(town.id(), in: list)
            ) == ["applied", "forbidden", "applied", "applied", "forbidden"])
        #expect(try ben.outcomes(ben.item(town.id(), in: list)) == ["applied"])
    }

    @Test("a refused mutation undoes its whole group: records, counters, digests, consequences")
    mutating func groupAtomicity() throws {
        let ben = try town.phone()
        try town.join(ben, list, of: ada, as: .viewer)
        try ada.sync()
        let before = try town.everything()
        let new: FeedID = town.id()
        let outcomes = try ada.outcomes(
            ada.create(new), ada.item(town.id(), in: new), ada.item(town.id(), in: list),
            ada.role(.owner, of: ben.account, in: list), ada.mutation(list, .members, ben.me, .delete),
            ada.item(town.id(), "", in: list), ada.item(town.id(), in: list), grouped: true)
        // The ownership went to Ben within the group, so Ben stays; whichever is refused first is the cause.
        #expect(outcomes == ["group", "group", "group", "group", "ownerStays", "group", "group"])
        let after = try town.everything()
        for table in [0, 1, 2, 7] { #expect(after[table] == before[table]) }
        #expect(try town.row(new) == nil)
        #expect(try town.role(ben.account, list) == .viewer)
    }

    @Test(
        "Law 2: a group does not delete a record that another device has changed since, if it adds 0 to one of its sums",
        arguments: [.set(["comment": "brown"]), .edit(set: [:], add: ["count": 2])] as [Mutation.Change])
    mutating func conditions(change: Mutation.Change) throws {
        var ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        let item: RecordID<Never> = town.id()
        try ada.sync(ada.item(item, in: list))
        let seen = try #require(try town.record(list, item)).state.sequence
        let condition = Mutation.Change.edit(set: ["count": 1], add: ["count": 0])
        let group = [condition, .delete].map { ada.mutation(list, .items, item, $0, seen: seen) }
        try ben.sync(ben.mutation(list, .items, item, change, seen: seen))
        let answer = try ada.sync(group, grouped: true).answer
        #expect(answer.outcomes.map(\.code) == [.changed, .group])
        #expect(try town.record(list, item)?.state.isDeleted == false)
    }

    @Test("Law 2: what a device had seen before a restore does not fulfil such a condition")
    mutating func conditionBeforeRestore() throws {
        var ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        let item: RecordID<Never> = town.id()
        try ada.sync(ada.item(item, in: list))
        // Ada has seen sequence 100 in the epoch of her token.
        let condition = Mutation.Change.edit(set: ["count": 1], add: ["count": 0])
        let group = [condition, .delete].map { ada.mutation(list, .items, item, $0, seen: 100) }
        try town.sqlite.newEpoch()
        try ben.sync(ben.mutation(list, .items, item, .set(["comment": "brown"])))
        let answer = try ada.sync(group, grouped: true).answer
        #expect(answer.outcomes.map(\.code) == [.changed, .group])
        #expect(try town.record(list, item)?.state.isDeleted == false)
    }

    @Test(
        "Law 2: a list that moves to another account is deleted only with the content that was copied",
        arguments: [false, true])
    mutating func movedList(isChanged: Bool) throws {
        var ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        try ada.sync(ada.item(town.id(), in: list))
        let members = [ada.me, ben.me]
        var digest = FeedDigest()
        for record in (ada.replica[list] ?? [:]).values where !members.contains(record.id) {
            digest.add(record.id, sequence: record.sequence)
        }
        if isChanged {
            try ben.sync(ben.item(town.id(), in: list))
        } else {
            try ben.sync(ben.mutation(list, .members, ben.me, .set(["name": "Ben"]), seen: 1))
        }
        let condition = Mutation.Change.set([Mutation.Change.contentDigest: .text(digest.description)])
        let group = [condition, .delete].map { ada.mutation(list, .lists, list.retyped(), $0, seen: 1) }
        let answer = try ada.sync(group, grouped: true).answer
        #expect(answer.outcomes.map(\.code) == (isChanged ? [.changed, .group] : []))
        #expect(try town.row(list)?.isClosed == !isChanged)
    }

    @Test("the device's own edits fulfil such a condition; it writes nothing, so a full account takes it")
    mutating func ownEdits() throws {
        let item: RecordID<Never> = town.id()
        try ada.sync(ada.item(item, in: list))
        let seen = try #require(try town.record(list, item)).state.sequence
        let own: [Mutation.Change] = [.set(["comment": "brown"]), .edit(set: [:], add: ["count": 2])]
        try ada.sync(own.map { ada.mutation(list, .items, item, $0, seen: seen) })
        let used = try [ada.home, list].reduce(0) { $0 + Int(try #require(try town.row($1)).bytes) }
        let condition = Mutation.Change.edit(set: ["count": 3], add: ["count": 0])
        let group = [condition, .delete].map { ada.mutation(list, .items, item, $0, seen: seen) }
        let request = ada.request(group, grouped: true)
        let terms = SyncRound.Terms(storage: used)
        let answer = try town.database.sync(request, as: ada.account, at: town.now, under: terms).answer
        #expect(answer.outcomes.isEmpty)
        #expect(try town.record(list, item)?.state.isDeleted == true)
    }

    @Test("a refused group does not affect its neighbours") mutating func groupsAreApart() throws {
        let first: RecordID<Never> = town.id()
        let second: RecordID<Never> = town.id()
        let third: RecordID<Never> = town.id()
        var request = ada.request([
            ada.item(first, in: list), ada.item(second, in: list), ada.item(town.id(), "", in: list),
            ada.item(third, in: list),
        ])
        request.mutations[1].group = 3
        request.mutations[2].group = 3
        let answer = try ada.send(request).answer
        #expect(answer.outcomes.map(\.code) == [.group, .invalid])
        ada.apply(answer)
        #expect(ada.fields(list, first) != nil && ada.fields(list, third) != nil)
        #expect(ada.fields(list, second) == nil)
        let stored = try #require(try town.record(list, third))
        #expect(try stored.state.sequence == #require(try town.record(list, first)).state.sequence + 1)
    }

    @Test("a record set and refused in a later group keeps the earlier group's state")
    mutating func laterGroupRefused() throws {
        let item: RecordID<Never> = town.id()
        var request = ada.request([
            ada.item(item, "Tea", in: list), ada.mutation(list, .items, item, .set(["title": "Coffee"])),
            ada.mutation(list, .items, item, .set(["title": ""])),
        ])
        request.mutations[1].group = 3
        request.mutations[2].group = 3
        ada.apply(try ada.send(request).answer)
        #expect(ada.fields(list, item)?["title"] == "Tea")
    }
}
