import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("Pictures") struct PictureTests {
    private func friend(_ circle: Circle, _ number: UInt64, small: Data, large: Data) async throws -> AccountID {
        let id = try await circle.friend(
            number, "Person \(number)", ["pictureSmall": hash(small), "pictureLarge": hash(large)])
        circle.people.change {
            $0.pictures["/v1/accounts/\(id)/picture/small"] = small
            $0.pictures["/v1/accounts/\(id)/picture/large"] = large
        }
        return id
    }

    @Test("A picture is fetched once however many ask, kept, and arrives as an update of that contact") func once()
        async throws
    {
        let circle = try await Circle()
        let grace = try await friend(circle, 3, small: png(1), large: png(2))
        var changes = circle.network.changes().makeAsyncIterator()
        _ = await changes.next()
        let all = try await withThrowingTaskGroup(of: Data?.self) { group in
            for _ in 0..<20 { group.addTask { try await circle.network.picture(of: grace, .small) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(all == Array(repeating: png(1), count: 20))
        #expect(circle.phone.server.requests.count { $0.path.hasSuffix("/picture/small") } == 1)
        let change = try #require(await changes.next())
        #expect(change.updated.map(\.contact.id) == [grace])
        #expect(change.updated.map(\.keys) == [[.picture]])
        circle.people.change { $0.isAway = true }
        #expect(try await circle.network.picture(of: grace, .small) == png(1))
        #expect(await code { _ = try await circle.network.picture(of: grace, .large) } == .offline)
        circle.people.change { $0.isAway = false }
        #expect(try await circle.network.picture(of: grace, .large) == png(2))
        #expect(try await circle.network.picture(of: Circle.person(9), .small) == nil)
    }

    @Test(
        "A caller that is cancelled stops waiting at once; the request ends with its last caller",
        .timeLimit(.minutes(15)))
    func cancelled() async throws {
        let circle = try await Circle()
        let grace = try await friend(circle, 3, small: png(1), large: png(2))
        let (begun, ended, isAnswering) = (Kept(0), Kept(0), Switch())
        circle.phone.server.wire.before = { request in
            guard request.path.hasSuffix("/picture/small") else { return }
            begun.change { $0 += 1 }
            defer { ended.change { $0 += 1 } }
            try await until { isAnswering.isOn }
        }
        @Sendable func picture() async throws -> Data? { try await circle.network.picture(of: grace, .small) }
        let only = Task { try await picture() }
        try await until { begun.value == 1 }
        only.cancel()
        await #expect(throws: CancellationError.self) { try await only.value }
        try await until { ended.value == 1 }
        let (first, second) = (Task { try await picture() }, Task { try await picture() })
        try await until { begun.value > 1 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        isAnswering.isOn = true
        #expect(try await second.value == png(1))
    }

    @Test("Pictures use limited space; the least recently used are deleted first") func bounded()
        async throws
    {
        let circle = try await Circle(pictureBytes: 2_500)
        var people: [AccountID] = []
        for number in 1...3 as ClosedRange<UInt8> {
            people.append(
                try await friend(
                    circle, UInt64(number) + 10, small: png(number, bytes: 1_000), large: png(number + 100)))
        }
        _ = try await circle.network.picture(of: people[0], .small)
        circle.phone.clock.advance(by: .minutes(5))
        _ = try await circle.network.picture(of: people[1], .small)
        circle.phone.clock.advance(by: .minutes(120))
        // The first is looked at again, so that the second is the oldest.
        _ = try await circle.network.picture(of: people[0], .small)
        circle.phone.clock.advance(by: .minutes(5))
        _ = try await circle.network.picture(of: people[2], .small)
        let kept = try circle.phone.query("SELECT hash FROM picture").map { FieldValue.text($0[0]) }
        #expect(Set(kept.map(\.text)) == Set([hash(png(1, bytes: 1_000)), hash(png(3, bytes: 1_000))].map(\.text)))
    }

    @Test("A picture that is not shown to me any more is deleted, unless another contact has it, too")
    func replaced() async throws {
        let circle = try await Circle()
        let grace = try await friend(circle, 3, small: png(1), large: png(2))
        let twin = try await friend(circle, 4, small: png(1), large: png(5))
        for person in [grace, twin] {
            for size in PictureSize.allCases { _ = try await circle.network.picture(of: person, size) }
        }
        #expect(try circle.phone.query("SELECT * FROM picture").count == 3)
        circle.tell(grace, ["pictureSmall": .null, "pictureLarge": .null, "asked": .null])
        try await circle.phone.client.syncNow()
        #expect(try circle.phone.query("SELECT * FROM picture").count == 2)
        #expect(try await circle.network.picture(of: grace, .small) == nil)
        #expect(try await circle.network.picture(of: twin, .small) == png(1))
    }

    @Test("My picture is shown at once, waits offline, and is uploaded before the mutation that refers to it")
    func own()
        async throws
    {
        let circle = try await Circle()
        circle.people.change { $0.isAway = true }
        try await circle.network.setPicture(small: png(1), large: png(2))
        #expect(try await circle.network.picture(.small) == png(1))
        #expect(await code { try await circle.phone.client.syncNow() } == .offline)
        #expect(try await circle.phone.waiting() == 1)
        #expect(try circle.phone.account().schedule.retryAt != nil)
        circle.people.change { $0.isAway = false }
        try await circle.phone.client.syncNow()
        #expect(circle.people.state.sent.values.sorted { $0[8] < $1[8] } == [png(1), png(2)])
        #expect(try await circle.phone.waiting() == 0)
        let paths = circle.phone.server.requests.filter { $0.path != "/v1/sessions" }.map(\.method)
        #expect(paths == ["POST", "PUT", "PUT", "PUT", "POST"])
        #expect(circle.phone.server.requests.last { $0.method == "PUT" }?.contentType == "image/png")
        #expect(try circle.phone.query("SELECT * FROM picture WHERE isUnsent").isEmpty)
        try await circle.network.removePicture()
        #expect(try await circle.network.picture(.large) == nil)
        #expect(try circle.phone.query("SELECT * FROM picture").isEmpty)
    }

    @Test(
        "A picture that the server refuses blocks nothing, and is not sent again",
        arguments: [(400, Problem.Code.malformed), (413, .tooLarge), (413, nil), (415, .unsupportedType)])
    func refused(status: Int, code: Problem.Code?) async throws {
        let circle = try await Circle()
        circle.people.change { $0.refusal = (status, code) }
        try await circle.network.setPicture(small: png(1), large: png(2))
        let list = try await circle.phone.lists.create("Groceries")
        try await circle.phone.client.syncNow()
        // The mutation goes up all the same: what becomes of it is the server's word.
        #expect(try await circle.phone.waiting() == 0)
        #expect(try await circle.phone.lists.list(list.id)?.role == .owner)
        // It is not kept as if the server had it.
        #expect(try circle.phone.query("SELECT * FROM picture").isEmpty)
        #expect(circle.phone.server.requests.count { $0.method == "PUT" } == 2)
    }

    @Test(
        "Law 4: A picture is kept and resent if it was too slow, or if no Kith server has answered",
        arguments: [(408, Problem.Code.tooSlow), (408, nil), (302, nil), (401, nil), (403, nil), (404, nil)])
    func notRefused(status: Int, code: Problem.Code?) async throws {
        let circle = try await Circle()
        circle.people.change { $0.refusal = (status, code) }
        try await circle.network.setPicture(small: png(1), large: png(2))
        try? await circle.phone.client.syncNow()
        #expect(try circle.phone.query("SELECT * FROM picture WHERE isUnsent").count == 2)
        #expect(try await circle.phone.waiting() == 1)
        circle.people.change { $0.refusal = nil }
        try await circle.phone.client.syncNow()
        #expect(circle.people.state.sent.count == 2)
        #expect(try await circle.phone.waiting() == 0)
    }

    @Test("Law 11: A restored server is sent the profile's picture again") func restored() async throws {
        let circle = try await Circle()
        try await circle.network.setPicture(small: png(1), large: png(2))
        try await circle.phone.client.syncNow()
        #expect(circle.people.state.sent.count == 2)
        circle.people.change { $0.sent = [:] }
        circle.phone.server.change { $0.epoch = "restored" }
        try await circle.phone.client.syncNow()
        try await circle.phone.client.syncNow()
        #expect(circle.people.state.sent.count == 2)
    }

    @Test("Law 2: A picture that was uploaded for an ended session is uploaded again for the session that replaces it")
    func replacedAccount() async throws {
        let circle = try await Circle()
        let people = circle.people
        try await circle.network.setPicture(small: png(1), large: png(2))
        // The pictures arrive, and the round that would name them does not.
        circle.phone.server.wire.instead = { request in
            if request.path == "/v1/sync" { throw KithError(.offline, "The server cannot be reached.") }
            return try people.answer(request)
        }
        #expect(await code { try await circle.phone.client.syncNow() } == .offline)
        #expect(people.state.sent.count == 2)
        people.change { $0.sent = [:] }
        circle.phone.server.change { $0.tokens = [:] }
        circle.phone.server.wire.instead = people.answer
        try await circle.phone.client.syncNow()
        #expect(try await circle.phone.client.session.account() != circle.me)
        #expect(people.state.sent.count == 2)
        #expect(try await circle.phone.waiting() == 0)
    }

    @Test("Law 2: A picture that the server has deleted before it was named is sent again, and the edit is taken")
    func deletedBeforeNamed() async throws {
        let circle = try await Circle()
        let people = circle.people
        try await circle.network.setPicture(small: png(1), large: png(2))
        // The pictures arrive, and the rounds that would name them do not.
        circle.phone.server.wire.instead = { request in
            if request.path == "/v1/sync" { throw KithError(.offline, "The server cannot be reached.") }
            return try people.answer(request)
        }
        for _ in 0..<2 { #expect(await code { try await circle.phone.client.syncNow() } == .offline) }
        #expect(circle.phone.server.requests.count { $0.method == "PUT" } == 2, "Once is enough for a while.")
        circle.phone.clock.advance(by: .minutes(25 * 60))
        people.change { $0.sent = [:] }
        circle.phone.server.wire.instead = people.answer
        try await circle.phone.client.syncNow()
        #expect(people.state.sent.count == 2)
        #expect(try await circle.phone.waiting() == 0)
    }

    @Test("Law 2: A picture that was sent makes no room for others while the edit that names it waits")
    func waitingIsKept() async throws {
        let circle = try await Circle(pictureBytes: 1_500)
        let people = circle.people
        let grace = try await friend(circle, 3, small: png(3, bytes: 1_000), large: png(4, bytes: 1_000))
        try await circle.network.setPicture(small: png(1), large: png(2, bytes: 1_000))
        circle.phone.server.wire.instead = { request in
            if request.path == "/v1/sync" { throw KithError(.offline, "The server cannot be reached.") }
            return try people.answer(request)
        }
        #expect(await code { try await circle.phone.client.syncNow() } == .offline)
        #expect(try circle.phone.query("SELECT * FROM picture WHERE isUnsent").isEmpty)
        circle.phone.clock.advance(by: .minutes(5))
        for size in PictureSize.allCases { _ = try await circle.network.picture(of: grace, size) }
        let kept = try circle.phone.query("SELECT hash FROM picture").map { FieldValue.text($0[0]) }
        let own = Set([hash(png(1)), hash(png(2, bytes: 1_000))].map(\.text))
        #expect(own.isSubset(of: kept.map(\.text)))
    }

    @Test("Law 4: The picture of a rejected edit stays on the device until the rejection is dismissed")
    func rejected() async throws {
        let circle = try await Circle()
        try await circle.network.setPicture(small: png(1), large: png(2))
        circle.phone.server.wire.change = { request, answer in
            guard !request.mutations.isEmpty else { return }
            answer.outcomes = request.mutations.map {
                MutationOutcome(number: $0.number, result: .rejected, code: .invalid, detail: "Refused.")
            }
            for index in answer.feeds.indices { answer.feeds[index].changes = [] }
        }
        try await circle.phone.client.syncNow()
        #expect(try await circle.phone.client.rejections().map(\.code) == [.invalid])
        #expect(try circle.phone.query("SELECT * FROM picture").count == 2)
    }

    @Test(
        "Law 2: A picture that always comes too slowly does not keep other edits from the server, nor news from the device"
    )
    func slowPicture() async throws {
        let circle = try await Circle()
        circle.people.change { $0.refusal = (408, .tooSlow) }
        try await circle.network.setPicture(small: png(1), large: png(2))
        let list = try await circle.phone.lists.create("Groceries")
        for _ in 0..<20 {
            try? await circle.phone.client.syncNow()
            circle.phone.clock.advance(by: .minutes(60))
        }
        #expect(try await circle.phone.lists.list(list.id)?.role == .owner)
        #expect(try await circle.phone.waiting() <= 1)
    }

    @Test("A file that is too large or not a picture is refused at once, and nothing is written") func checked()
        async throws
    {
        let circle = try await Circle()
        let tooLarge = png(1, bytes: Limits.smallPicture + 1)
        #expect(await code { try await circle.network.setPicture(small: tooLarge, large: png(2)) } == .invalid)
        #expect(
            await code { try await circle.network.setPicture(small: png(1), large: Data("GIF89a".utf8)) } == .invalid)
        #expect(try await circle.phone.waiting() == 0)
        #expect(try circle.phone.query("SELECT * FROM picture").isEmpty)
    }
}
