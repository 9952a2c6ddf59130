import Foundation
import KithModel
import KithServer
import Testing

@Suite("Exactly once") struct ExactlyOnceTests {
    private struct Crash: Error {}

    let town: Town
    var ada: Phone
    let list: FeedID
    let item: RecordID<Never>

    init() throws {
        town = try Town()
        ada = try town.phone()
        list = town.id()
        item = town.id()
        try ada.sync(ada.create(list), ada.item(item, in: list))
    }

    private func count() throws -> FieldValue? { try town.record(list, item)?.state.fields["count"] }

    private func more() -> Mutation { ada.mutation(list, .items, item, .edit(set: [:], add: ["count": 1])) }

    @Test("a repeated request is applied once, and gets the same answer")
    mutating func doubled() throws {
        let request = ada.request([more(), ada.item(town.id(), "", in: list), more()])
        let first = try ada.send(request)
        let after = try town.everything()
        for _ in 0..<3 {
            town.pass(.seconds(1))
            var answer = try ada.send(request)
            #expect(answer.signals.moved.isEmpty)
            answer.answer.time = first.answer.time
            #expect(answer.answer == first.answer)
        }
        #expect(try town.everything() == after)
        #expect(try count() == 3)
    }

    @Test("a mutation resent at another age is the same") mutating func olderAgain() throws {
        var request = ada.request([more()])
        _ = try ada.send(request)
        request.mutations[0].age = 5_000
        #expect(try ada.send(request).answer.device == .recognised)
        #expect(try count() == 2)
    }

    @Test("after a lost answer, rejections are repeated and new mutations are applied")
    mutating func lostAnswer() throws {
        let edits = [more(), ada.item(town.id(), "", in: list), more()]
        _ = try ada.send(ada.request(Array(edits.prefix(2))))
        let answer = try ada.send(ada.request(edits)).answer
        #expect(answer.device == .recognised)
        #expect(answer.outcomes.map(\.number) == [4])
        #expect(answer.outcomes.map(\.code) == [.invalid])
        #expect(answer.outcomes.first?.detail == "“title” is empty.")
        #expect(answer.acknowledged.number == 5)
        #expect(try count() == 3)
    }

    @Test("a partial resend is recognised, and acknowledges what it contains; one without mutations learns the rest")
    mutating func part() throws {
        let edits = [ada.item(town.id(), "", in: list), more(), ada.item(town.id(), "", in: list), more()]
        var request = ada.request(edits)
        _ = try ada.send(request)
        let whole = request.mutations
        request.mutations.removeLast(2)
        let answer = try ada.send(request).answer
        #expect(answer.device == .recognised)
        #expect(answer.acknowledged == Acknowledgement(number: 4, hash: whole[1].hash))
        #expect(answer.outcomes.map(\.number) == [3])
        request.mutations = []
        let rest = try ada.send(request).answer
        #expect(rest.acknowledged == Acknowledgement(number: 6, hash: whole[3].hash))
        #expect(rest.outcomes.map(\.number) == [3, 5])
        #expect(try count() == 3)
    }

    @Test("Law 2: a part of what was sent does not acknowledge a number that a copy has given to another edit")
    mutating func partOfCopy() throws {
        var copy = ada
        let shared = more()
        try ada.sync(shared, ada.item(town.id(), "Tea", in: list))
        let mine = copy.item(town.id(), "Milk", in: list)
        let whole = copy.request([shared, mine])
        var part = whole
        part.mutations.removeLast()
        let answer = try copy.send(part).answer
        #expect(answer.device == .recognised)
        #expect(answer.acknowledged == Acknowledgement(number: 3, hash: whole.mutations[0].hash))
        copy.apply(answer)
        let next = try copy.send(copy.request([mine])).answer
        #expect(next.device == .copied)
        #expect(next.outcomes.isEmpty)
    }

    @Test("a crash before the commit applies nothing, after it everything") mutating func crashes() throws {
        let request = ada.request([more()])
        for (moment, expected) in [(SQLiteDatabase.CommitMoment.before, nil), (.after, FieldValue.integer(2))] {
            let database = try town.sqlite
            database.onCommit = { if $0 == moment { throw Crash() } }
            #expect(throws: Crash.self) { try ada.send(request) }
            database.onCommit = nil
            #expect(try count() == expected)
        }
        ada.apply(try ada.send(request).answer)
        #expect(try count() == 2)
        #expect(ada.acknowledged.number == 3)
    }

    // MARK: Copies

    @Test("a late request of an earlier state looks like a copy's, and is not applied") mutating func late() throws {
        let late = ada.request([more()])
        try ada.sync(more())
        try ada.sync(more())
        let before = try town.everything()
        let answer = try ada.send(late).answer
        #expect(answer.device == .copied)
        #expect(try town.everything() == before)
    }

    @Test("a copied device learns which of its mutations were taken, applied ones included")
    mutating func copy() throws {
        var original = ada
        let shared = [more(), ada.item(town.id(), "", in: list)]
        try original.sync(shared + [original.item(town.id(), "Coffee", in: list)])
        // The copy was made with the first two sent and not answered; then it went its own way.
        let mine = ada.item(town.id(), "Milk", in: list)
        let answer = try ada.send(ada.request(shared + [mine])).answer
        #expect(answer.device == .copied)
        #expect(answer.outcomes.map(\.number) == [3, 4])
        #expect(answer.outcomes.map(\.result) == [.applied, .rejected])
        #expect(answer.acknowledged == original.acknowledged)
        #expect(try town.record(list, mine.record) == nil)

        ada.device = town.id()
        ada.acknowledged = .none
        ada.sent = 0
        #expect(try ada.outcomes(mine) == ["applied"])
        #expect(try count() == 2)
    }

    @Test("a copy's mutations between a device's mutations and their answer are not acknowledged to the device")
    mutating func overtaken() throws {
        var copy = ada
        let shared = [more(), ada.item(town.id(), "", in: list)]
        let mine = ada.request(shared)
        let further = copy.request(shared + [copy.item(town.id(), "", in: list)])
        let round = SyncRound(mine, as: ada.account, at: town.now)
        let pushed = try town.database.writeNow { try round.push(in: $0) }
        #expect(try copy.send(further).answer.acknowledged.number == 5)
        let answer = try town.database.readNow { try round.pull(after: pushed, in: $0).answer }
        #expect(answer.device == .recognised)
        #expect(answer.acknowledged == Acknowledgement(number: 4, hash: mine.mutations[1].hash))
        #expect(answer.outcomes.map(\.number) == [4])
        ada.apply(answer)
        // From now on the two are told apart, and neither is refused.
        #expect(try ada.send(ada.request([])).answer.device == .copied)
        #expect(try ada.send(ada.request([more()])).answer.device == .copied)
    }

    @Test("a copy with nothing to send is detected, too") mutating func idleCopy() throws {
        var copy = ada
        try ada.sync(more())
        #expect(try copy.send(copy.request([])).answer.device == .copied)
    }

    @Test("different content under the acknowledged number reveals a copy")
    mutating func otherAcknowledged() throws {
        var copy = ada
        try ada.sync(more())
        copy.acknowledged = Acknowledgement(number: 3, hash: "other")
        copy.sent = 3
        #expect(try copy.send(copy.request([more()])).answer.device == .copied)
        #expect(try count() == 2)
    }

    // MARK: A restored server

    @Test("a restored server answers forgotten and applies nothing, then applies the resent mutations")
    mutating func forgotten() throws {
        let (backup, known) = (try town.sqlite.copy(), ada.acknowledged)
        let edits = [more(), ada.item(town.id(), "", in: list), more()]
        try ada.sync(edits)
        let restored = try Town(backup)
        try backup.newEpoch()
        let before = try restored.everything()

        let request = ada.request([more()])
        let told = try backup.sync(request, as: ada.account, at: town.now).answer
        #expect(told.device == .forgotten)
        #expect(told.acknowledged.number == 2 && told.acknowledged == known)
        #expect(told.outcomes.isEmpty)
        for table in [0, 1, 2, 4, 7] { #expect(try restored.everything()[table] == before[table]) }

        ada.acknowledged = told.acknowledged
        let again = ada.request(edits + [more()])
        let answer = try backup.sync(again, as: ada.account, at: town.now).answer
        #expect(answer.device == .recognised)
        #expect(answer.outcomes.map(\.number) == [4])
        #expect(try restored.record(list, item)?.state.fields["count"] == 4)
    }

    @Test("Law 2: what a device had seen before a restore does not let an older edit replace a newer one")
    mutating func seenBeforeRestore() throws {
        var ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        let edits = ["old", "newest"].map { comment in
            ada.mutation(list, .items, item, .set(["comment": .text(comment)]), seen: 100, age: 3_600_000)
        }
        try town.sqlite.newEpoch()
        try ben.sync(ben.mutation(list, .items, item, .set(["comment": "new"])))
        // Ada's token is of the epoch in which she has seen sequence 100.
        #expect(try ada.outcomes(edits[0]) == ["superseded"])
        #expect(try town.record(list, item)?.state.fields["comment"] == "new")
        // Her next token is of this epoch.
        #expect(try ada.outcomes(edits[1]) == ["applied"])
    }

    // MARK: Remembering

    @Test("the outcomes of the last thousand numbers are stored") mutating func remembered() throws {
        for _ in 0..<3 { try ada.sync((0..<Limits.mutations).map { _ in more() }) }
        let numbers = try town.database.readNow { transaction in
            try transaction.query("SELECT number FROM taken ORDER BY number").map { try $0.integer(0) }
        }
        #expect(numbers == Array(503...1502))
    }

    @Test("a copy's mutation from before the remembered numbers is reported to it: neither doubled nor silently lost")
    mutating func copyBeyondMemory() throws {
        var original = ada
        let title = ada.mutation(list, .items, item, .set(["title": "Green tea"]))
        let mine = [more(), title, more(), title]
        var request = ada.request(mine)
        (request.mutations[2].group, request.mutations[3].group) = (5, 5)
        _ = try original.send(request)
        original.acknowledged = Acknowledgement(number: 6, hash: request.mutations[3].hash)
        for _ in 0..<3 { try original.sync((0..<Limits.mutations).map { _ in more() }) }
        let before = try count()
        let answer = try ada.send(request).answer
        #expect(answer.device == .copied)
        // The copy sends again what is not named, and no more than that.
        #expect(answer.outcomes.map(\.number) == [3, 5, 6])
        #expect(answer.outcomes.map(\.code) == [.repeated, .repeated, .repeated])
        (ada.device, ada.acknowledged, ada.sent) = (town.id(), .none, 0)
        #expect(try ada.outcomes(title) == ["applied"])
        #expect(try count() == before)
    }

    @Test("a copy may only repeat harmless mutations that are no longer remembered") mutating func removalBeyondMemory()
        throws
    {
        let other: RecordID<Never> = town.id()
        try ada.sync(ada.item(other, in: list))
        var original = ada
        let removal = ada.mutation(list, .items, other, .delete)
        let request = ada.request([more(), removal])
        _ = try original.send(request)
        original.acknowledged = Acknowledgement(number: 5, hash: request.mutations[1].hash)
        for _ in 0..<3 { try original.sync((0..<Limits.mutations).map { _ in more() }) }
        let answer = try ada.send(request).answer
        #expect(answer.device == .copied)
        #expect(answer.outcomes.map(\.number) == [4])
    }

    @Test("a round without mutations learns the last number taken, with its hash") mutating func lastHash() throws {
        let request = ada.request([more(), more()])
        _ = try ada.send(request)
        var empty = request
        empty.mutations = []
        #expect(
            try ada.send(empty).answer.acknowledged
                == Acknowledgement(number: 4, hash: request.mutations[1].hash))
    }

    @Test("an account has at most a thousand devices; one more is refused, and the others continue")
    mutating func devices() throws {
        try town.database.writeNow { [account = ada.account] transaction in
            let others = (3...Limits.devices).map { _ in
                [SQLValue.id(account), .id(DeviceID(UUID())), .integer(1)]
            }
            try transaction.insert(into: "device", ["account", "id", "last"], others)
        }
        var last = Phone(town, account: ada.account)
        #expect(try last.outcomes(last.item(town.id(), in: list)) == ["applied"])
        var late = Phone(town, account: ada.account)
        // It reads as any other.
        try late.sync()
        let before = try town.everything()
        let error = #expect(throws: ServerError.self) { try late.sync(late.item(town.id(), in: list)) }
        #expect(error?.code == .tooMany)
        #expect(try town.everything() == before)
        #expect(try ada.outcomes(more()) == ["applied"])
    }

    @Test("Law 8: One account's device does not know another's by the same id") mutating func scopes() throws {
        var ben = try town.phone()
        ben.device = ada.device
        let own: FeedID = town.id()
        #expect(try ben.outcomes(ben.create(own)) == ["applied"])
        #expect(ben.acknowledged.number == 1)
        #expect(try ada.outcomes(more()) == ["applied"])
    }
}
