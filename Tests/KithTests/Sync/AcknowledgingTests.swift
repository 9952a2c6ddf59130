import Foundation
import Kith
import KithModel
import Testing

@Suite("The effect of an answer on the outbox") struct AcknowledgingTests {
    @Test("Trap: An edit made while its predecessor is in flight is marked as sent") func editInFlight() async throws {
        let (phone, list) = try await Phone.withList()
        let item = try await phone.lists.add("Milk", to: list)
        phone.server.wire.meanwhile = { _ in try await phone.lists.setTicked(item.id, true) }
        let request = try #require(try phone.rounds.begin())
        let answer = phone.server.answer(request)
        try await phone.lists.setTicked(item.id, true)
        #expect(try phone.rounds.finish(request, answer) == .again)
        #expect(try await phone.waiting() == 1)
        #expect(try await phone.lists.item(item.id)?.isTicked == true)
        try phone.round()
        #expect(phone.server.change { $0.fields(item.id, in: list)?["ticked"] } == true)
    }

    @Test("Law 4: A getter shows the device's own edits at once, before, during and after each round")
    func readYourWrites() async throws {
        let (phone, list) = try await Phone.withList()
        let item = try await phone.lists.add("Milk", to: list)
        let seen = Kept<[String]>([])
        let look: @Sendable () async throws -> Void = {
            let title = try await phone.lists.item(item.id)?.title
            seen.change { $0.append(title ?? "–") }
        }
        try await look()
        phone.server.wire.meanwhile = { request in
            guard request.mutations.contains(where: { $0.record.uuid == item.id.uuid }) else { return }
            try await look()
            if try await phone.lists.item(item.id)?.title == "Milk" {
                try await phone.lists.update(with(item) { $0.title = "Oat milk" })
            }
            try await look()
        }
        try await phone.client.syncNow()
        try await look()
        #expect(seen.value == ["Milk", "Milk", "Oat milk", "Oat milk", "Oat milk", "Oat milk"])
        #expect(try await phone.waiting() == 0)
    }

    @Test("Law 7: What is still unsent stays on top of what arrives") func unsentOnTop() async throws {
        let (phone, list) = try await Phone.withList()
        let item = try await phone.lists.add("Milk", to: list, count: 2)
        try await phone.client.syncNow()
        let request = try #require(try phone.rounds.begin())
        try await phone.lists.update(with(item) { $0.title = "Oat milk" })
        try await phone.lists.increase(item.id, by: 3)
        phone.othersWrite(item.id, ["title": "Cow milk", "count": 10, "comment": "fresh"], in: list)
        _ = try phone.rounds.finish(request, phone.server.answer(request))
        let shown = try #require(try await phone.lists.item(item.id))
        #expect(shown.title == "Oat milk")
        #expect(shown.count == 13)
        #expect(shown.comment == "fresh")
    }

    @Test("Law 7: A round carries unsent edits before it reads") func pushFirst() async throws {
        let (phone, list, item) = try await Phone.withItem()
        let earlier = phone.server.rounds.count
        try await phone.lists.update(with(item) { $0.title = "Oat milk" })
        phone.othersWrite(item.id, ["comment": "fresh"], in: list)
        try await phone.client.syncNow()
        let first = try #require(phone.server.rounds.dropFirst(earlier).first)
        #expect(first.mutations.map(\.record.uuid) == [item.id.uuid])
        let shown = try #require(try await phone.lists.item(item.id))
        #expect(shown.title == "Oat milk")
        #expect(shown.comment == "fresh")
        #expect(phone.server.change { $0.titles(in: list) } == ["Oat milk"])
    }

    @Test("Law 1: However often a request is sent or its answer lost, each mutation takes effect once")
    func exactlyOnce() async throws {
        let (phone, list) = try await Phone.withList()
        let item = try await phone.lists.add("Milk", to: list, count: 1)
        try await phone.client.syncNow()
        try await phone.lists.increase(item.id, by: 2)
        for _ in 0..<3 {
            let request = try #require(try phone.rounds.begin())
            _ = phone.server.answer(request)
            phone.clock.advance(by: .seconds(1))
        }
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.fields(item.id, in: list)?["count"] } == 3)
        #expect(try await phone.lists.item(item.id)?.count == 3)
        #expect(try await phone.waiting() == 0)
    }

    @Test("A late answer is applied if only further numbers were assigned since") func lateAnswerApplies() async throws
    {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Milk", to: list)
        let request = try #require(try phone.rounds.begin())
        let answer = phone.server.answer(request)
        try await phone.lists.add("Tea", to: list)
        let second = try #require(try phone.rounds.begin())
        #expect(second.sent > request.sent)
        #expect(try phone.rounds.finish(request, answer) == .again)
        #expect(try phone.mutations().map(\.number) == [second.sent])
        #expect(try phone.rounds.finish(second, phone.server.answer(second)) == .stale)
    }

    @Test("Trap: A deleted item comes back after a late answer – stale and repeated answers are dropped")
    func lateAnswer() async throws {
        let (phone, list) = try await Phone.withList()
        let item = try await phone.lists.add("Milk", to: list)
        let request = try #require(try phone.rounds.begin())
        let late = phone.server.answer(request)
        #expect(try phone.rounds.finish(request, phone.server.answer(request)) == .done)
        try await phone.lists.remove(item.id)
        try await phone.client.syncNow()
        #expect(try phone.rounds.finish(request, late) == .stale)
        #expect(try await phone.titles(in: list).isEmpty)
        #expect(try phone.query("SELECT * FROM item").isEmpty)
    }

    @Test("Law 2: A refused edit is kept with its values and its reason until the app has taken note of it")
    func rejection() async throws {
        let (phone, list, item) = try await Phone.withItem()
        phone.othersRemove(item.id, in: list)
        try await phone.lists.update(with(item) { ($0.title, $0.comment) = ("Oat milk", "the blue one") })
        try await phone.client.syncNow()
        let rejection = try #require(try await phone.client.rejections().first)
        #expect(rejection.code == .deleted)
        #expect(!rejection.sentence.isEmpty)
        #expect(rejection.values == ["title": "Oat milk", "comment": "the blue one"])
        #expect(rejection.listID == list)
        #expect(rejection.record.uuid == item.id.uuid)
        #expect(!rejection.isDeletion)
        #expect(try await phone.lists.item(item.id) == nil)
        #expect(try await phone.client.status().rejections == 1)
        try await phone.client.dismiss(rejection.id)
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.client.status().rejections == 0)
    }

    @Test("Trap: A change that the server refuses blocks all later ones, or vanishes without a word")
    func poison() async throws {
        let (phone, list, gone) = try await Phone.withItem()
        phone.othersRemove(gone.id, in: list)
        try await phone.lists.setTicked(gone.id, true)
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Tea"])
        #expect(try await phone.client.rejections().map(\.values) == [["ticked": true]])
        #expect(try await phone.waiting() == 0)
    }

    @Test("A refused group leaves no trace, and every edit of it is kept") func refusedGroup() async throws {
        let (phone, list) = try await Phone.withList()
        let gone = try await phone.lists.add("Milk", to: list)
        let stays = try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        phone.othersRemove(gone.id, in: list)
        try await phone.client.write { changes in
            try changes.setTicked(stays.id, true)
            try changes.setTicked(gone.id, true)
            try changes.add("Cake", to: list)
        }
        try await phone.client.syncNow()
        #expect(try await phone.client.rejections().map(\.code.rawValue).sorted() == ["deleted", "group", "group"])
        #expect(try await phone.titles(in: list) == ["Tea"])
        #expect(try await phone.lists.item(stays.id)?.isTicked == false)
        #expect(phone.server.change { $0.titles(in: list) } == ["Tea"])
    }

    @Test("Law 3: Mutations that were taken beyond a smaller second attempt are read again, including refused ones")
    func takenBeyondTheRequest() async throws {
        let (phone, list) = try await Phone.withList()
        let stays = try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        try await phone.lists.add("Cake", to: list)
        phone.server.change { world in
            let me = world.tokens.values.first
            if let me { world.feeds[list.retyped()]?.roles[me] = .viewer }
        }
        try await phone.lists.setTicked(stays.id, true)
        // The server takes both, the answer is lost, and the next attempt carries only the first.
        _ = phone.server.answer(try #require(try phone.rounds.begin()))
        try phone.execute("UPDATE account SET batch = 1")
        try await phone.client.syncNow()
        #expect(try await phone.client.rejections().map(\.code) == [.forbidden, .forbidden])
        #expect(try await phone.titles(in: list) == ["Tea"])
        #expect(try await phone.lists.item(stays.id)?.isTicked == false)
        #expect(try phone.rounds.begin()?.reread == nil)
    }

    @Test("Law 5: The rejection of an edit takes its field back to the server's value")
    func backByRejection() async throws {
        let (phone, list) = try await Phone.withList()
        phone.server.change { world in
            let me = world.tokens.values.first
            if let me { world.share(list, with: me, as: .viewer, at: phone.clock.now) }
        }
        try await phone.lists.update(with(try #require(try await phone.lists.list(list))) { $0.name = "Mine" })
        #expect(try await phone.lists.list(list)?.name == "Mine")
        try await phone.client.syncNow()
        #expect(try await phone.lists.list(list)?.name == "Groceries")
        #expect(try await phone.client.rejections().map(\.code) == [.forbidden])
    }

    @Test("Trap: Pushed rows come back as if foreign – an own edit stays this device's, whatever the server adds to it")
    func ownEdits() async throws {
        let (phone, list) = try await Phone.withList()
        var changes = phone.lists.changes().makeAsyncIterator()
        var items = phone.lists.itemChanges().makeAsyncIterator()
        #expect(await changes.next()?.origin == .state)
        let item = try await phone.lists.add("Milk", to: list)
        phone.clock.advance(by: .seconds(10))
        try await phone.client.syncNow()
        try await phone.lists.setTicked(item.id, true)
        phone.clock.advance(by: .seconds(10))
        try await phone.client.syncNow()
        phone.othersWrite(item.id, ["title": "Oat milk"], in: list)
        try await phone.client.syncNow()
        var origins: [ChangeOrigin] = []
        while let told = await items.next() {
            origins.append(told.origin)
            if told.modified.first?.title == "Oat milk" { break }
        }
        #expect(origins.dropLast().allSatisfy { $0 != .server })
        #expect(origins.last == .server)
        origins = []
        repeat { origins.append(try #require(await changes.next()).origin) } while origins.last != .server
        #expect(origins.dropLast().allSatisfy { $0 == .device })
    }

    @Test("Trap: Pushed rows come back as if foreign – what an acknowledgement confirms is no news from others")
    func ownEchoes() async throws {
        let (phone, list, item) = try await Phone.withItem()
        try await phone.lists.remove(item.id)
        var changes = phone.lists.changes().makeAsyncIterator()
        var items = phone.lists.itemChanges().makeAsyncIterator()
        #expect(await changes.next()?.origin == .state)
        #expect(await items.next()?.origin == .state)
        phone.clock.advance(by: .seconds(10))
        try await phone.client.syncNow()
        // The confirmed deletion changed nothing that is shown. The next thing heard is the next edit.
        let tea = try await phone.lists.add("Tea", to: list)
        #expect(await items.next()?.added.map(\.title) == ["Tea"])
        #expect(await changes.next()?.origin == .device)
        // Nor is anything told as the server's when it confirms what was added and changed.
        phone.clock.advance(by: .seconds(10))
        try await phone.client.syncNow()
        try await phone.lists.setTicked(tea.id, true)
        phone.clock.advance(by: .seconds(10))
        try await phone.client.syncNow()
        let cake = try await phone.lists.add("Cake", to: list)
        var heard = try #require(await items.next())
        while !heard.added.contains(where: { $0.id == cake.id }) {
            #expect(heard.origin == .device)
            heard = try #require(await items.next())
        }
        #expect(heard.origin == .device)
    }
}
