import Kith
import KithModel
import Testing

@Suite("Requests to be connected") struct RequestTests {
    private let ada = Circle.person(2)

    @Test("A request is made offline, shows at once, and is sent when the server can be reached") func offline()
        async throws
    {
        let circle = try await Circle()
        circle.phone.server.goAway()
        try await circle.network.connect(ada)
        #expect(try await circle.network.sentRequests().map(\.id) == [ada])
        #expect(try await circle.network.contacts().isEmpty)
        #expect(try await circle.phone.waiting() == 1)
        circle.phone.server.mend()
        try await circle.phone.client.syncNow()
        #expect(try await circle.phone.waiting() == 0)
        #expect(
            circle.phone.server.rounds.last { !$0.mutations.isEmpty }?.mutations.map(\.change) == [
                .set(["wish": "connect"])
            ])
    }

    @Test("Requests that cross connect the two") func crossing() async throws {
        let circle = try await Circle()
        try await circle.network.connect(ada)
        // Theirs arrives while mine is unsent.
        let request = try #require(try circle.phone.rounds.begin())
        circle.tell(ada, ["asked": .integer(circle.now.milliseconds), "given": "Ada"])
        _ = try circle.phone.rounds.finish(request, circle.phone.server.answer(request))
        #expect(try await circle.network.contacts().map(\.given) == ["Ada"])
        #expect(try await circle.network.pendingCount() == 0)
    }

    @Test("A received request waits for an answer; accepting connects at once, and declining can be undone")
    func answering()
        async throws
    {
        let circle = try await Circle()
        circle.tell(ada, ["asked": .integer(circle.now.milliseconds), "given": "Ada"])
        try await circle.phone.client.syncNow()
        #expect(try await circle.network.requests().map(\.given) == ["Ada"])
        #expect(try await circle.network.pendingCount() == 1)
        try await circle.network.decline(ada)
        #expect(try await circle.network.pendingCount() == 0)
        #expect(try await circle.network.contact(ada)?.relation == .declined)
        try await circle.network.accept(ada)
        #expect(try await circle.network.contacts().map(\.given) == ["Ada"])
        #expect(try await circle.network.requests().isEmpty)
    }

    @Test("Distinct errors for yourself, already connected, no request, blocked and unknown") func distinct()
        async throws
    {
        let circle = try await Circle()
        let network = circle.network
        let friend = try await circle.friend(3, "Grace")
        #expect(await code { try await network.connect(circle.me) } == .yourself)
        #expect(await code { try await network.block(circle.me) } == .yourself)
        #expect(await code { try await network.mute(circle.me) } == .yourself)
        #expect(await code { try await network.connect(friend) } == .alreadyConnected)
        #expect(await code { try await network.accept(friend) } == .alreadyConnected)
        #expect(await code { try await network.resend(friend) } == .alreadyConnected)
        #expect(await code { try await network.accept(ada) } == .noRequest)
        #expect(await code { try await network.decline(ada) } == .noRequest)
        #expect(await code { try await network.cancel(ada) } == .noRequest)
        #expect(await code { try await network.resend(ada) } == .noRequest)
        #expect(await code { try await network.remove(ada) } == .notFound)
        #expect(await code { try await network.unblock(ada) } == .notFound)
        try await network.block(ada)
        #expect(await code { try await network.connect(ada) } == .forbidden)
        #expect(try await circle.phone.waiting() == 1)
    }

    @Test("An account that is full of records gets an error, and nothing is written") func full() async throws {
        let circle = try await Circle()
        try circle.phone.execute(
            """
            WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(Limits.ownRecords))
            INSERT INTO contact (account, id, wish, sequence, modified)
                SELECT (SELECT key FROM account WHERE isCurrent), CAST(printf('%016d', n) AS BLOB), 'connect', 1, 1 FROM numbers
            """)
        #expect(await code { try await circle.network.connect(ada) } == .full)
        #expect(try await circle.phone.waiting() == 0)
    }

    @Test(
        "A resent request is sent although no field has changed, and is not folded into one in flight")
    func resend() async throws {
        let circle = try await Circle()
        try await circle.network.connect(ada)
        let first = try circle.phone.mutations()
        try await circle.network.resend(ada)
        let both = try circle.phone.mutations()
        #expect(both.map(\.change) == [.set(["wish": "connect"]), .set(["wish": "connect"])])
        #expect(both.first?.canonical == first.first?.canonical)
        try await circle.phone.client.syncNow()
        circle.tell(ada, ["notified": .integer(circle.now.milliseconds)])
        try await circle.phone.client.syncNow()
        circle.phone.clock.advance(by: Limits.resend)
        // To connect with someone who was asked is to ask again.
        try await circle.network.connect(ada)
        #expect(try circle.phone.mutations().map(\.change) == [.set(["wish": "connect"])])
    }

    @Test("A person who was asked shortly before is not asked again, and the error has the time left") func tooSoon()
        async throws
    {
        let circle = try await Circle()
        try await circle.network.connect(ada)
        circle.tell(ada, ["notified": .integer(circle.now.milliseconds)])
        try await circle.phone.client.syncNow()
        circle.phone.clock.advance(by: .minutes(20))
        do {
            try await circle.network.resend(ada)
            Issue.record("It was sent again.")
        } catch let error as KithError {
            #expect(error.code == .tooSoon)
            #expect(error.retryAfter == .minutes(40))
            #expect(error.sentence.contains("40 minutes"))
        }
        #expect(try await circle.phone.waiting() == 0)
        // Of a device whose clock is behind, the server judges.
        circle.phone.clock.advance(by: .minutes(-30))
        try await circle.network.resend(ada)
        #expect(try await circle.phone.waiting() == 1)
    }

    @Test("A request is cancelled: before it was sent without a trace, afterwards on the server, too")
    func takingBack() async throws {
        let circle = try await Circle()
        let sent = circle.phone.server.rounds.count
        try await circle.network.connect(ada)
        try await circle.network.cancel(ada)
        #expect(try await circle.network.sentRequests().isEmpty)
        try await circle.phone.client.syncNow()
        #expect(
            circle.phone.server.rounds.dropFirst(sent).allSatisfy { round in
                round.mutations.allSatisfy { $0.change != .set(["wish": "connect"]) }
            })
        try await circle.network.connect(ada)
        try await circle.phone.client.syncNow()
        try await circle.network.cancel(ada)
        #expect(try await circle.network.sentRequests().isEmpty)
        #expect(try circle.phone.mutations().map(\.change) == [.set(["wish": "none"])])
    }

    @Test("A removed person does not appear as asking until the server has confirmed it") func removing() async throws {
        let circle = try await Circle()
        let friend = try await circle.friend(3, "Grace")
        circle.phone.server.goAway()
        try await circle.network.remove(friend)
        #expect(try await circle.network.pendingCount() == 0)
        #expect(try await circle.network.contacts(in: .everyone).isEmpty)
        // Nor when something of theirs arrives meanwhile.
        let request = try #require(try circle.phone.rounds.begin())
        circle.tell(friend, ["given": "Grace H."])
        var empty = request
        empty.mutations = []
        _ = try circle.phone.rounds.finish(request, circle.phone.server.answer(empty))
        #expect(try await circle.phone.waiting() == 1)
        #expect(try await circle.network.pendingCount() == 0)
        #expect(try await circle.network.contact(friend) == nil)
    }

    @Test("A refusal of the server becomes a rejection that names the person") func rejection() async throws {
        let circle = try await Circle()
        circle.phone.server.wire.change = { _, answer in
            let number = answer.acknowledged.number
            answer.outcomes = [
                MutationOutcome(number: number, result: .rejected, code: .unknown, detail: "There is no such account.")
            ]
            answer.records = []
            for index in answer.feeds.indices { answer.feeds[index].changes = [] }
        }
        try await circle.network.connect(ada)
        try await circle.phone.client.syncNow()
        let rejection = try #require(try await circle.phone.client.rejections().first)
        #expect(rejection.code == .unknown)
        #expect(rejection.accountID == ada)
        #expect(rejection.listID == nil)
        #expect(try await circle.network.contact(ada) == nil)
    }

    @Test("Before the first session everything works and waits, and then belongs to the first account") func userless()
        async throws
    {
        let phone = try Phone()
        try await phone.client.network.connect(ada)
        try await phone.client.network.block(Circle.person(3))
        try await phone.client.network.updateProfile { $0.given = "Joan" }
        #expect(try await phone.client.network.sentRequests().map(\.id) == [ada])
        try await phone.client.syncNow()
        #expect(try await phone.client.network.sentRequests().map(\.id) == [ada])
        #expect(try await phone.client.network.blocked().map(\.id) == [Circle.person(3)])
        #expect(try await phone.client.network.profile().given == "Joan")
        let me = try #require(try await phone.client.session.account())
        #expect(phone.server.change { $0.fields(Profile.id, in: me.retyped()) }?["given"] == "Joan")
    }

    @Test("Several edits of people and lists are applied together or not at all") func together() async throws {
        let circle = try await Circle()
        let ada = ada
        await #expect(throws: KithError.self) {
            try await circle.phone.client.write { changes in
                try changes.connect(ada)
                try changes.updateProfile { $0.status = "Hello" }
                try changes.connect(circle.me)
            }
        }
        #expect(try await circle.phone.waiting() == 0)
        #expect(try await circle.network.profile().status == nil)
    }
}
