import Foundation
import Kith
import KithModel
import Testing

@Suite("The outbox and its batches") struct BatchTests {
    @Test("An edit and its mutation are written together, or neither is") func oneTransaction() async throws {
        let switchOn = Switch()
        var faults = Replica.Faults()
        faults.beforeCommit = { if switchOn.isOn { throw Crash() } }
        let (phone, list) = try await Phone.withList(faults: faults)
        switchOn.isOn = true
        await #expect(throws: Crash.self) { try await phone.lists.add("Milk", to: list) }
        switchOn.isOn = false
        #expect(try await phone.titles(in: list).isEmpty)
        #expect(try await phone.waiting() == 0)
        try await phone.lists.add("Tea", to: list)
        #expect(try await phone.titles(in: list) == ["Tea"])
        #expect(try await phone.waiting() == 1)
    }

    @Test("Numbers increase by one without gaps, even after folding and withdrawals") func numbers() async throws {
        let (phone, list) = try await Phone.withList()
        var random = SplitMix64(seed: 3)
        var numbers: [Int64] = [1]
        for round in 0..<60 {
            let item = try await phone.lists.add("Item \(round)", to: list)
            if Bool.random(using: &random) { try await phone.lists.setTicked(item.id, true) }
            if Bool.random(using: &random) { try await phone.lists.remove(item.id) }
            if Bool.random(using: &random) {
                let request = try #require(try phone.rounds.begin())
                numbers += request.mutations.map(\.number)
                #expect(request.sent == numbers.last)
                // Every other answer is lost, so that what is in flight is sent again.
                let answer = phone.server.answer(request)
                if Bool.random(using: &random) { _ = try phone.rounds.finish(request, answer) }
            }
        }
        #expect(Set(numbers).sorted() == Array(1...(try #require(numbers.max()))))
        while try phone.round() != .done {}
        let shown = try await phone.titles(in: list).sorted()
        #expect(phone.server.change { $0.titles(in: list) } == shown)
    }

    @Test("Law 1: A resent request is the same request except for its ages") func sameAgain() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Milk", to: list)
        let first = try phone.mutations()
        phone.clock.advance(by: .seconds(30))
        try await phone.lists.add("Tea", to: list)
        let second = try phone.mutations()
        #expect(second.first?.canonical == first.first?.canonical)
        #expect(second.first?.age == 30_000)
        #expect(second.count == 2)
    }

    @Test("A request carries at most 500 mutations, and the rest follows") func limit() async throws {
        let (phone, list) = try await Phone.withList()
        for index in 0..<620 { try await phone.lists.add("Item \(index)", to: list) }
        try await phone.client.syncNow()
        #expect(phone.server.rounds.map(\.mutations.count) == [1, 500, 120])
        #expect(phone.server.change { $0.titles(in: list).count } == 620)
    }

    @Test("A group is sent as a whole") func wholeGroups() async throws {
        let (phone, list) = try await Phone.withList()
        for index in 0..<400 { try await phone.lists.add("Item \(index)", to: list) }
        try await phone.client.write { changes in
            for index in 400..<600 { try changes.add("Item \(index)", to: list) }
        }
        try await phone.client.syncNow()
        #expect(phone.server.rounds.map(\.mutations.count) == [1, 400, 200])
        #expect(Set(phone.server.rounds[2].mutations.map(\.group)) == [402])
    }

    @Test("Edits that were written together before the first session are sent as a group, too") func earlyGroup()
        async throws
    {
        let phone = try Phone()
        let list = try await phone.client.write { changes in
            let list = try changes.create("Groceries").id
            try changes.add("Milk", to: list)
            return list
        }
        try await phone.lists.add("Tea", to: list)
        try await phone.client.session.open()
        #expect(try phone.mutations().map(\.group) == [1, 1, nil])
    }

    @Test("A request that the server finds too large or slow is halved until it passes", arguments: [408, 413, 422])
    func halving(status: Int) async throws {
        let (phone, list) = try await Phone.withList()
        for index in 0..<100 { try await phone.lists.add("Item \(index)", to: list) }
        phone.server.wire.instead = { request in
            guard let body = request.body, request.path == "/v1/sync" else { return nil }
            let count = try JSONDecoder().decode(SyncRequest.self, from: body).mutations.count
            return count > 30 ? TransportResponse(status: status, body: Data("{}".utf8)) : nil
        }
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list).count } == 100)
        #expect(phone.server.rounds.allSatisfy { $0.mutations.count <= 31 })
        #expect(try await phone.waiting() == 0)
    }

    @Test(
        "Law 2: An edit that the server cannot read becomes a rejection, and blocks nothing", arguments: [true, false])
    func unreadable(inGroup: Bool) async throws {
        let (phone, list) = try await Phone.withList()
        phone.server.wire.instead = { request in
            guard let body = request.body, request.path == "/v1/sync" else { return nil }
            let request = try JSONDecoder().decode(SyncRequest.self, from: body)
            let isPoisoned = request.mutations.contains {
                if case .edit(let set, _) = $0.change { set["title"] == "Poison" } else { false }
            }
            return isPoisoned
                ? TransportResponse(status: 400, body: FakeServer.problem(400, .malformed, "This cannot be read."))
                : nil
        }
        try await phone.lists.add("Before", to: list)
        if inGroup {
            try await phone.client.write { changes in
                try changes.add("Poison", to: list)
                try changes.add("Together", to: list)
            }
        } else {
            try await phone.lists.add("Poison", to: list)
        }
        try await phone.lists.add("After", to: list)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["After", "Before"])
        #expect(try await phone.titles(in: list) == ["Before", "After"])
        let rejections = try await phone.client.rejections()
        #expect(
            rejections.compactMap(\.values["title"]?.text).sorted() == (inGroup ? ["Poison", "Together"] : ["Poison"]))
        #expect(rejections.allSatisfy { $0.code == .invalid && $0.sentence == "This cannot be read." })
        #expect(try await phone.waiting() == 0)
    }

    @Test(
        "Trap: One lost answer wedges sync for good – a group too large for any request is refused when it is written")
    func groupOfTooManyBytes() async throws {
        let (phone, list) = try await Phone.withList()
        let comment = String(repeating: "ä", count: 2_000)
        let refused = await code {
            try await phone.client.write { changes in
                for index in 0..<400 { try changes.add("Item \(index)", to: list, comment: comment) }
            }
        }
        #expect(refused == .tooMany)
        #expect(try await phone.waiting() == 0)
        #expect(try await phone.titles(in: list).isEmpty)
    }

    @Test("500 edits go together; more are refused, and nothing is written", arguments: [500, 501])
    func groupLimit(count: Int) async throws {
        let (phone, list) = try await Phone.withList()
        let refused = await code {
            try await phone.client.write { changes in
                for index in 0..<count { try changes.add("Item \(index)", to: list) }
            }
        }
        #expect(refused == (count > Limits.group ? .tooMany : nil))
        #expect(try await phone.titles(in: list).count == (count > Limits.group ? 0 : count))
    }

    @Test("What was acknowledged stays in the log for seven days") func log() async throws {
        let (phone, list) = try await Phone.withList()
        func logged() throws -> Int { try phone.query("SELECT * FROM mutation WHERE taken IS NOT NULL").count }
        try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        #expect(try logged() == 2)
        phone.clock.advance(by: .days(6))
        try await phone.client.syncNow()
        #expect(try logged() == 2)
        phone.clock.advance(by: .days(1) + .seconds(1))
        try await phone.client.syncNow()
        #expect(try logged() == 0)
    }

    @Test("A rejection that was dismissed is forgotten after seven days; one that waits for the app is kept")
    func dismissedRejections() async throws {
        let (phone, list) = try await Phone.withList()
        for title in ["Milk", "Tea"] {
            let item = try await phone.lists.add(title, to: list)
            try await phone.client.syncNow()
            phone.othersRemove(item.id, in: list)
            try await phone.lists.setTicked(item.id, true)
            try await phone.client.syncNow()
        }
        try await phone.client.dismiss(try #require(try await phone.client.rejections().first).id)
        func kept() throws -> Int { try phone.query("SELECT * FROM rejection").count }
        phone.clock.advance(by: .days(7))
        try await phone.client.syncNow()
        #expect(try kept() == 2)
        phone.clock.advance(by: .seconds(1))
        try await phone.client.syncNow()
        #expect(try kept() == 1)
        #expect(try await phone.client.rejections().count == 1)
    }

    @Test(
        "Trap: A wrong device clock makes one device always win – ages are told, never dates, and never below nothing")
    func clockJumps() async throws {
        let (phone, list) = try await Phone.withList(clock: Clock(Timestamp(milliseconds: 4_000_000_000_000)))
        let item = try await phone.lists.add("Milk", to: list)
        phone.clock.advance(by: .days(-30))
        #expect(try phone.mutations().map(\.age) == [0])
        try await phone.client.syncNow()
        #expect(try await phone.lists.item(item.id)?.modified == phone.server.clock.now)
        try await phone.lists.setTicked(item.id, true)
        phone.clock.advance(by: .seconds(3))
        #expect(try phone.mutations().map(\.age) == [3_000])
    }

    @Test("Trap: Dates of one-second resolution lose the second edit of a second") func sameInstant() async throws {
        let (phone, list, item) = try await Phone.withItem()
        try await phone.lists.setTicked(item.id, true)
        try phone.round()
        try await phone.lists.setTicked(item.id, false)
        try phone.round()
        #expect(try await phone.lists.item(item.id)?.isTicked == false)
        #expect(phone.server.change { $0.fields(item.id, in: list)?["ticked"] } == false)
    }
}
