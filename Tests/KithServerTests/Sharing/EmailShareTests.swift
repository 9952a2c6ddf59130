import KithModel
import KithServer
import Testing

@Suite("Sharing by email") struct EmailShareTests {
    private var world: SharingWorld
    private var ada: Phone
    private let email = "mailto:ben@example.com"

    private static let parts = #"""
        "shares":{"email":{"subject":{"en":"Try it, says {{name}}"},"text":{"en":"I use it. {{code}} {{link}}","de":"Nimm das: {{link}}"}}},
        "shares-a-day":3
        """#

    init() throws {
        world = try SharingWorld(Self.parts)
        ada = try world.person("Ada")
        try ada.sync(ada.shareable("ADA-TEA"))
    }

    private mutating func share(_ recipient: String? = nil, _ more: Fields = [:]) throws -> Share.Status? {
        let mutation = try ada.share(.email, to: recipient ?? email, more)
        #expect(try ada.outcomes(mutation) == ["applied"])
        try world.work()
        try ada.sync()
        return ada.shares.first { $0.id == mutation.record.retyped() }?.status
    }

    @Test("The email has the programme's text with the link, the code and the name, and can be unsubscribed")
    mutating func text() throws {
        #expect(try share() == .sent)
        let text = try #require(try world.messages().first)
        #expect(text.contains("I use it. ADA-TEA https://kith.example/s/ADA-TEA?c=email"))
        #expect(text.contains("Ada shares Kith with you.") && text.contains("https://kith.example/unsubscribe/"))
        let subjects = try world.town.database.readNow { transaction in
            try transaction.query("SELECT subject FROM message").map { try $0.text(0) }
        }
        #expect(subjects == ["Try it, says Ada"])
    }

    @Test("The person's own subject, text and language come before those of the programme")
    mutating func own() throws {
        #expect(try share(nil, ["language": "de-AT"]) == .sent)
        world.town.pass(.seconds(1))
        #expect(try share(nil, ["subject": "Tee?", "message": "Trink Tee mit mir.", "language": "de"]) == .sent)
        let texts = try world.messages()
        #expect(texts.first?.contains("Nimm das: https://kith.example/s/ADA-TEA?c=email") == true)
        #expect(texts.last?.contains("Trink Tee mit mir.") == true && texts.last?.contains("Ada teilt") == true)
    }

    @Test("A share fails with its reason: to oneself, of a paused programme, beyond the limit of a day")
    mutating func reasons() async throws {
        try world.prove("mailto:ada@example.com", by: ada)
        #expect(try share("mailto:ada@example.com") == .failed(.init(.yourself)))
        try world.pause()
        #expect(try share() == .failed(.init(.paused)))
        try world.pause(false)
        for index in 1...3 { #expect(try share("mailto:friend\(index)@example.com") == .sent) }
        #expect(try share("mailto:friend4@example.com") == .failed(.init(.senderLimit)))
        world.town.pass(.days(1))
        #expect(try share("mailto:friend4@example.com") == .sent)
        let funnel = try await FunnelService(database: world.town.database).funnel()
        #expect(funnel.total(.shared) == 4 && funnel.days.count == 2 && funnel.channels == [.email])
    }

    @Test("Trap: FAILED is polled until the time-out – nothing waits for a failed share, and it stays failed")
    mutating func staysFailed() throws {
        try world.pause()
        #expect(try share() == .failed(.init(.paused)))
        try world.pause(false)
        world.town.pass(.days(1))
        #expect(try world.work() == Signals())
        try world.repeatEverything(about: ada)
        try ada.sync()
        #expect(ada.shares.map(\.status) == [.failed(.init(.paused))])
        #expect(try world.messages().isEmpty && world.count("sharing_work") == 0)
    }

    @Test("One recipient gets five emails in a day from all people together, and the next one fails")
    mutating func recipientLimit() throws {
        for number in 1...5 {
            var friend = try world.person("Friend")
            try friend.sync(friend.shareable("CODE-\(number)"))
            try friend.sync(friend.share(.email, to: email))
            try world.work()
        }
        #expect(try world.messages().count == 5)
        #expect(try share() == .failed(.init(.recipientLimit)))
        world.town.pass(.days(1))
        #expect(try share() == .sent)
    }

    /// Lets the only email bounce.
    private func bounce() throws {
        let (dependencies, now) = (world.dependencies, world.town.now)
        try fail(MessageFailure(.refused, "550 no such user")) { message, transaction in
            _ = try SharingService.noteFailure(message, dependencies, at: now, in: transaction)
        }
    }

    /// Lets the only email fail, and notes it in the same transaction.
    private func fail(
        _ failure: MessageFailure, _ note: @escaping @Sendable (FailedMessage, any Transaction) throws -> Void
    ) throws {
        try world.town.database.writeNow { [queue = world.queue] transaction in
            guard let id: MessageID = try transaction.query("SELECT id FROM message").first?.id(0) else { return }
            if let failed = try queue.fail(id, failure, in: transaction) { try note(failed, transaction) }
        }
    }

    @Test("A share that bounces says so")
    mutating func undelivered() throws {
        #expect(try share() == .sent)
        try bounce()
        try ada.sync()
        #expect(ada.shares.map(\.status) == [.failed(.init(.refused, detail: "550 no such user"))])
    }

    @Test("Another process reports a bounce to the job, which writes it")
    mutating func scheduled() throws {
        #expect(try share() == .sent)
        let now = world.town.now
        try fail(MessageFailure(.undelivered)) { message, transaction in
            try SharingService.scheduleFailure(message, at: now, in: transaction)
        }
        try ada.sync()
        #expect(ada.shares.map(\.status) == [.sent])
        try world.work()
        try ada.sync()
        #expect(ada.shares.map(\.status) == [.failed(.init(.undelivered))])
    }

    // MARK: - Whom an email brings

    /// Why an email reaches nobody.
    enum Obstacle: CaseIterable { case paused, limit, block, bounce, unsent }

    @Test("Trap: an email that has reached nobody brings its recipient – it does not", arguments: Obstacle.allCases)
    mutating func reachedNobody(obstacle: Obstacle) throws {
        var ben = try world.person("Ben")
        switch obstacle {
        case .paused:
            try world.pause()
            #expect(try share() == .failed(.init(.paused)))
            try world.pause(false)
        case .limit:
            for index in 1...3 { #expect(try share("mailto:friend\(index)@example.com") == .sent) }
            #expect(try share() == .failed(.init(.senderLimit)))
        case .block:
            // Ben has blocked Ada with another account, which loses the email to this one.
            var other = try world.person("Ben")
            try world.prove(email, by: other)
            try other.sync(other.contact(ada, ["isBlocked": true]))
            #expect(try share() == .sent)
        case .bounce:
            #expect(try share() == .sent)
            try bounce()
        case .unsent:
            try ada.sync(ada.share(.email, to: email))
        }
        world.town.pass(.seconds(60))
        try world.prove(email, by: ben)
        try ada.sync()
        try ben.sync()
        #expect(try ada.referrals.isEmpty && world.count("attribution") == 0)
    }

    @Test(
        "An email that was sent brings its recipient, also if somebody else notes the address before it and after it",
        arguments: ["newest", "first"])
    mutating func sentFirst(rule: String) throws {
        world = try SharingWorld(#"\#(Self.parts),"attribution":{"rule":"\#(rule)"}"#)
        ada = try world.person("Ada")
        var eve = try world.person("Eve")
        try ada.sync(ada.shareable("ADA-TEA"))
        try eve.sync(eve.shareable("EVE-TEA"))
        try eve.sync(eve.share(.message, to: email))
        world.town.pass(.days(1))
        #expect(try share() == .sent)
        world.town.pass(.days(1))
        try eve.sync(eve.share(.message, to: email))
        try world.work()
        world.town.pass(.seconds(60))
        try world.prove(email, by: try world.person("Ben"))
        try ada.sync()
        try eve.sync()
        #expect(ada.referrals.map(\.basis) == [.recipient] && eve.referrals.isEmpty)
    }

    @Test("A share needs something to share")
    mutating func nothing() throws {
        let share = ada.mutation(
            ada.home, .shares, world.town.id(),
            .set(["shareable": .text(world.town.id(Never.self).description), "channel": "sheet", "shared": 1]))
        #expect(try ada.outcomes(share) == ["notFound"])
        #expect(try ada.outcomes(ada.share(.email)) == ["invalid"])
    }

    @Test("An email fails if its shareable is removed with it or before it is sent", arguments: [true, false])
    mutating func removed(isSamePush: Bool) throws {
        let share = try ada.share(.email, to: email)
        let shareable: RecordID<Never> = try #require(ada.shareables.first).id.retyped()
        let removal = ada.mutation(
            ada.home, .shareables, shareable, .delete, seen: ada.replica[ada.home]?[shareable]?.sequence ?? 0)
        if isSamePush {
            #expect(try ada.outcomes(share, removal) == ["applied", "applied"])
        } else {
            #expect(try ada.outcomes(share) == ["applied"])
            #expect(try ada.outcomes(removal) == ["applied"])
        }
        try world.work()
        try ada.sync()
        #expect(ada.shares.map(\.status) == [.failed(.init(.noShareable))])
        #expect(try world.messages().isEmpty)
    }

    @Test("A person who has blocked the other gets no email, and the other cannot tell")
    mutating func blocked() throws {
        var ben = try world.person("Ben")
        try world.prove(email, by: ben)
        try ben.sync(ben.contact(ada, ["isBlocked": true]))
        #expect(try share() == .sent)
        #expect(try world.messages().isEmpty)
    }
}
