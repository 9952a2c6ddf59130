import Foundation
import Kith
import KithModel
import Testing

@Suite("An edit that a proxy refuses") struct ProxyRefusalTests {
    /// A phone behind a proxy that refuses the rounds that send an item with the title “Large”.
    private static func behindProxy(
        status: Int = 413, meanwhile: @escaping @Sendable (SyncRequest) throws -> Void = { _ in }
    ) async throws -> (phone: Phone, list: ListID) {
        let (phone, list) = try await Phone.withList()
        phone.server.wire.instead = { request in
            guard request.path == "/v1/sync", let body = request.body else { return nil }
            let round = try JSONDecoder().decode(SyncRequest.self, from: body)
            if round.mutations.isEmpty { try meanwhile(round) }
            return round.mutations.contains(where: \.isLarge) ? TransportResponse(status: status, body: Data()) : nil
        }
        return (phone, list)
    }

    @Test("Becomes a rejection once the server has said that it does not have it", arguments: [413, 422])
    func unknownToServer(status: Int) async throws {
        let questions = Kept(0)
        let (phone, list) = try await Self.behindProxy(status: status) { _ in questions.change { $0 += 1 } }
        for title in ["Before", "Large", "After"] { try await phone.lists.add(title, to: list) }
        try await phone.client.syncNow()
        #expect(questions.value == 1)
        #expect(phone.server.change { $0.titles(in: list) } == ["After", "Before"])
        #expect(try await phone.titles(in: list) == ["Before", "After"])
        let rejections = try await phone.client.rejections()
        #expect(rejections.map { $0.values["title"]?.text } == ["Large"])
        #expect(rejections.allSatisfy { $0.code == .invalid && $0.sentence.contains("probably too large") })
        #expect(try await phone.waiting() == 0)
    }

    @Test("Law 2: an edit that the server has is reported as refused, because its answer was lost – it waits")
    func takenByServer() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Large", to: list)
        phone.server.wire.meanwhile = { _ in throw KithError(.offline, "The answer is lost.") }
        #expect(await code { try await phone.client.syncNow() } == .offline)
        phone.server.mend()
        phone.server.wire.instead = { request in
            guard request.path == "/v1/sync", let body = request.body else { return nil }
            let round = try JSONDecoder().decode(SyncRequest.self, from: body)
            return round.mutations.isEmpty ? nil : TransportResponse(status: 413, body: Data())
        }
        for _ in 0..<2 { #expect(await code { try await phone.client.syncNow() } == .tooMany) }
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.waiting() == 1)
        #expect(try phone.account().schedule.retryAt != nil)
        phone.server.mend()
        try await phone.client.syncNow()
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.waiting() == 0)
        #expect(phone.server.change { $0.titles(in: list) } == ["Large"])
    }

    @Test("Is sent again before the server is asked again, if the server cannot be asked") func noAnswer() async throws
    {
        let (phone, list) = try await Self.behindProxy { _ in throw KithError(.offline, "The server is away.") }
        try await phone.lists.add("Large", to: list)
        for _ in 0..<2 { #expect(await code { try await phone.client.syncNow() } == .offline) }
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.waiting() == 1)
        phone.server.mend()
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Large"])
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("If a proxy refuses every edit, each costs a pause, and the others wait") func everyEdit() async throws {
        let (phone, list) = try await Phone.withList()
        for title in ["Milk", "Tea", "Bread"] { try await phone.lists.add(title, to: list) }
        phone.server.wire.instead = { request in
            guard request.path == "/v1/sync", let body = request.body else { return nil }
            let round = try JSONDecoder().decode(SyncRequest.self, from: body)
            return round.mutations.isEmpty ? nil : TransportResponse(status: 413, body: Data())
        }
        #expect(await code { try await phone.client.syncNow() } == .tooMany)
        #expect(try await phone.client.rejections().compactMap(\.values["title"]?.text) == ["Milk"])
        #expect(try await phone.waiting() == 2)
        #expect(try phone.account().schedule.retryAt != nil)
        phone.server.mend()
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Bread", "Tea"])
    }

    @Test("Law 13: a copy has used the numbers of an edit – it is not given up because of the answer to the question")
    func copied() async throws {
        let (phone, list) = try await Self.behindProxy()
        try await phone.lists.add("Large", to: list)
        phone.server.wire.change = { request, answer in
            guard request.mutations.isEmpty else { return }
            (answer.device, answer.acknowledged.number) = (.copied, request.sent + 1)
        }
        #expect(await code { try await phone.client.syncNow() } == .tooMany)
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.waiting() == 1)
        phone.server.mend()
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Large"])
    }

    private static let refusal = KithError(status: 413, retryAfter: nil, body: Data())

    @Test("Is not rejected because of an answer to a request that another client sent before the edit")
    func earlierAnswer() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.client.syncNow()
        let earlier = try #require(try phone.rounds.begin())
        let answer = phone.server.answer(earlier)
        try await phone.lists.add("Large", to: list)
        let request = try #require(try phone.rounds.begin())
        _ = phone.server.answer(request)
        #expect(try phone.rounds.fail(Self.refusal, of: request))
        _ = try phone.rounds.finish(earlier, answer)
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.waiting() == 1)
    }

    @Test("Law 13: an answer that names a number without content acknowledges nothing that is in flight")
    func lateQuestion() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.client.syncNow()
        try await phone.lists.add("Large", to: list)
        let request = try #require(try phone.rounds.begin())
        _ = phone.server.answer(request)
        #expect(try phone.rounds.fail(Self.refusal, of: request))
        let question = try #require(try phone.rounds.begin())
        #expect(question.mutations.isEmpty)
        #expect(try !phone.rounds.fail(KithError(.offline, "The server is away."), of: request))
        #expect(try phone.rounds.finish(question, phone.server.answer(question)) == .stale)
        #expect(try await phone.waiting() == 1)
    }

    @Test("Another client's late refusal of an edit that has been sent does not reject the next one")
    func lateRefusal() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.client.syncNow()
        try await phone.lists.add("Milk", to: list)
        let first = try #require(try phone.rounds.begin())
        #expect(try phone.rounds.finish(first, phone.server.answer(first)) == .done)
        try await phone.lists.add("Tea", to: list)
        let second = try #require(try phone.rounds.begin())
        #expect(try phone.rounds.fail(Self.refusal, of: first))
        #expect(try phone.rounds.begin()?.mutations.map(\.id) == second.mutations.map(\.id))
    }
}

extension Mutation {
    fileprivate var isLarge: Bool { if case .edit(let set, _) = change { set["title"] == "Large" } else { false } }
}
