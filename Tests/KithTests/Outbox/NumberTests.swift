import Foundation
import Kith
import KithModel
import Testing

@Suite("Numbers without gaps") struct NumberTests {
    /// Refuses what a server refuses: numbers that do not go up by one.
    private static func check(_ request: TransportRequest) throws -> TransportResponse? {
        guard request.path == "/v1/sync", let body = request.body else { return nil }
        let round = try JSONDecoder().decode(SyncRequest.self, from: body)
        for (index, mutation) in round.mutations.enumerated()
        where mutation.number != round.acknowledged.number + 1 + Int64(index) {
            return refusal(at: "$.mutations[\(index)].number")
        }
        return nil
    }

    private static func refusal(at path: String) -> TransportResponse {
        let problem = Problem(
            status: 400, title: "Problem", code: .malformed, detail: "Numbers go up by one.", id: "1", path: path)
        return TransportResponse(status: 400, body: (try? JSONEncoder().encode(problem)) ?? Data())
    }

    @Test("Law 13: A list that moves away from an account without a token takes no other list's edits with it")
    func moveAway() async throws {
        let (phone, foo) = try await Phone.withList()
        let first = try #require(try await phone.client.session.account())
        let token = try #require(try await phone.client.session.token())
        let bar = try await phone.lists.create("Bar").id
        try await phone.client.syncNow()
        // Other people are in both lists, so a new account does not take over the lists.
        phone.server.change { world in
            for list in [foo, bar] {
                world.write(
                    .lists, list.retyped(), ["access": "shared"], in: list.retyped(), at: phone.clock.now)
            }
        }
        try await phone.client.syncNow()
        try await phone.lists.add("f1", to: foo)
        try await phone.lists.add("b1", to: bar)
        phone.server.change { $0.tokens = [:] }
        phone.server.wire.instead = Self.check
        // The round numbers both edits and is refused; another session opens.
        try await phone.client.syncNow()
        let second = try #require(try await phone.client.session.account())
        #expect(second != first)
        try await phone.lists.moveLists([foo], from: .account(first), to: .account(second))
        phone.server.change { $0.tokens[token] = first }
        _ = try await phone.client.session.activate(token: token)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: bar) } == ["b1"])
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.waiting() == 0)
    }

    @Test("Law 1: An addition in flight counts once, although another list moves while its user is signed out")
    func moveWhileSignedOut() async throws {
        let (phone, foo) = try await Phone.withList()
        let bar = try await phone.lists.create("Bar").id
        let milk = try await phone.lists.add("Milk", to: bar).id
        let first = try #require(try await phone.client.session.account())
        let token = try #require(try await phone.client.session.token())
        phone.server.change { $0.identify(first) }
        try await phone.client.syncNow()
        #expect(try await phone.client.session.state() == .identified)
        try await phone.lists.add("Tea", to: foo)
        try await phone.lists.increase(milk, by: 1)
        phone.server.wire.meanwhile = { _ in throw KithError(.offline, "The answer is lost.") }
        #expect(await code { try await phone.client.syncNow() } == .offline)
        phone.server.mend()
        phone.server.change { $0.tokens = [:] }
        #expect(await code { try await phone.client.syncNow() } == .unauthorized)
        let moved = try await phone.lists.moveLists([foo], from: .account(first), to: .userless)
        let copy = try #require(moved[foo])
        #expect(try await phone.lists.items(in: copy, within: .userless).map(\.title) == ["Tea"])
        #expect(try await phone.lists.all().map(\.id) == [bar])
        phone.server.change { $0.tokens[token] = first }
        _ = try await phone.client.session.activate(token: token)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.fields(milk, in: bar) }?["count"] == 2)
        #expect(try await phone.lists.item(milk)?.count == 2)
        #expect(phone.server.change { $0.titles(in: foo) } == ["Tea"])
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.waiting() == 0)
    }

    @Test("Law 1: An addition that another client has sent counts once, although this one finds the token revoked")
    func numberedByAnother() async throws {
        let folder = TemporaryFolder()
        let (phone, list) = try await Phone.withList(file: folder.replica)
        let milk = try await phone.lists.add("Milk", to: list).id
        let account = try #require(try await phone.client.session.account())
        let token = try #require(try await phone.client.session.token())
        phone.server.change { $0.identify(account) }
        try await phone.client.syncNow()
        try await phone.lists.increase(milk, by: 1)
        let other = try Phone(phone.server, file: folder.replica, seed: 2, credentials: phone.credentials)
        // While the other client asks which server answers, the phone sends the addition. Its answer is lost.
        let isSent = Switch()
        phone.server.wire.instead = { request in
            guard request.path == "/ready", !isSent.isOn else { return nil }
            isSent.isOn = true
            if let round = try phone.rounds.begin() { _ = phone.server.answer(round) }
            phone.server.change { $0.tokens = [:] }
            return nil
        }
        #expect(await code { try await other.client.syncNow() } == .unauthorized)
        #expect(isSent.isOn)
        try await phone.lists.increase(milk, by: 1)
        phone.server.mend()
        phone.server.change { $0.tokens[token] = account }
        _ = try await phone.client.session.activate(token: token)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.fields(milk, in: list) }?["count"] == 3)
        #expect(try await phone.lists.item(milk)?.count == 3)
    }

    @Test("Law 2: No edit gets the number of one that another client has sent meanwhile") func acknowledgedByAnother()
        async throws
    {
        let folder = TemporaryFolder()
        let (phone, list) = try await Phone.withList(file: folder.replica)
        let account = try #require(try await phone.client.session.account())
        let token = try #require(try await phone.client.session.token())
        phone.server.change { $0.identify(account) }
        try await phone.client.syncNow()
        try await phone.lists.add("Milk", to: list)
        let other = try Phone(phone.server, file: folder.replica, seed: 2, credentials: phone.credentials)
        // The other client has given the number. Before its request arrives, the phone sends the edit under that number.
        phone.server.wire.instead = { request in
            guard request.path == "/v1/sync" else { return nil }
            if let round = try phone.rounds.begin() { _ = try phone.rounds.finish(round, phone.server.answer(round)) }
            phone.server.change { $0.tokens = [:] }
            return nil
        }
        #expect(await code { try await other.client.syncNow() } == .unauthorized)
        #expect(try phone.account().sent == phone.account().acknowledged.number)
        phone.server.mend()
        try await phone.lists.add("Tea", to: list)
        phone.server.change { $0.tokens[token] = account }
        _ = try await phone.client.session.activate(token: token)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list).sorted() } == ["Milk", "Tea"])
        #expect(try await phone.waiting() == 0)
    }

    @Test("Law 2: If a request arrives twice, and the second finds the session closed, its edits stay in flight")
    func doubledRequest() async throws {
        let (phone, list, milk) = try await Phone.withItem()
        let account = try #require(try await phone.client.session.account())
        let token = try #require(try await phone.client.session.token())
        phone.server.change { $0.identify(account) }
        try await phone.client.syncNow()
        let cake = try await phone.lists.add("Cake", to: list).id
        try await phone.lists.increase(milk.id, by: 1)
        // The server takes the first request, and the device hears the answer to the second.
        phone.server.wire.instead = { request in
            guard request.path == "/v1/sync", let body = request.body else { return nil }
            _ = phone.server.answer(try JSONDecoder().decode(SyncRequest.self, from: body))
            phone.server.change { $0.tokens = [:] }
            return nil
        }
        #expect(await code { try await phone.client.syncNow() } == .unauthorized)
        phone.server.mend()
        try await phone.lists.remove(cake)
        try await phone.lists.increase(milk.id, by: 1)
        phone.server.change { $0.tokens[token] = account }
        _ = try await phone.client.session.activate(token: token)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
        #expect(try await phone.titles(in: list) == ["Milk"])
        #expect(phone.server.change { $0.fields(milk.id, in: list)?["count"] } == 3)
        #expect(try await phone.waiting() == 0)
    }

    @Test("Law 2: Numbers that the server cannot take are given again under a new device; no edit is rejected")
    func hole() async throws {
        let (phone, list) = try await Phone.withList()
        let device = try phone.account().device
        for title in ["Milk", "Tea"] { try await phone.lists.add(title, to: list) }
        phone.server.goAway()
        _ = try? await phone.client.syncNow()
        phone.server.mend()
        phone.server.wire.instead = Self.check
        try phone.execute(
            "DELETE FROM mutation WHERE number = (SELECT min(number) FROM mutation WHERE taken IS NULL)")
        #expect(await code { try await phone.client.syncNow() } == .refused)
        #expect(try phone.account().device != device)
        #expect(try phone.account().schedule.retryAt != nil)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Tea"])
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test(
        "Law 2: A server that refuses every round is not asked in a storm",
        arguments: ["$.mutations[0].number", "$.acknowledged.number", "$.sent", "$.mutations[0].seen"])
    func noStorm(path: String) async throws {
        let (phone, list) = try await Phone.withList()
        let before = phone.server.requests.count
        try await phone.lists.add("Milk", to: list)
        phone.server.wire.instead = { $0.path == "/v1/sync" ? Self.refusal(at: path) : nil }
        #expect(await code { try await phone.client.syncNow() } == .refused)
        #expect(phone.server.requests.count <= before + 3)
        #expect(try phone.account().schedule.retryAt != nil)
    }
}
