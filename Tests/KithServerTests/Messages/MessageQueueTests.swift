import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("The queue of messages") struct MessageQueueTests {
    @Test("A message is delivered once, and its content is deleted")
    func delivered() async throws {
        let world = try MessageWorld()
        #expect(try await world.add(.code()) == .queued)
        #expect(try await world.contentOfQueue() > 0)
        try await world.lane().run()
        try await world.lane().run()
        #expect(world.gateway.received.map(\.subject) == ["123456 is your code for Kith"])
        #expect(world.gateway.rests == 2)
        #expect(try await world.state(of: .code()) == .sent)
        #expect(try await world.contentOfQueue() == 0)
    }

    @Test("A message that is added twice is sent once")
    func addedTwice() async throws {
        let world = try MessageWorld()
        try await world.add(.code())
        #expect(try await world.add(.code()) == .queued)
        try await world.lane().run()
        #expect(try await world.add(.code()) == .sent)
        try await world.lane().run()
        #expect(world.gateway.received.count == 1)
    }

    @Test("A message of a transaction that fails is not sent")
    func rolledBack() async throws {
        let world = try MessageWorld()
        struct Stop: Error {}
        await #expect(throws: Stop.self) {
            try await world.database.write { [queue = world.queue, now = world.now] transaction in
                try queue.add(.code(), at: now, in: transaction)
                throw Stop()
            }
        }
        try await world.lane().run()
        #expect(world.gateway.received.isEmpty)
    }

    @Test("After a temporary refusal, the same message goes out again after the pause, and not before")
    func retried() async throws {
        let world = try MessageWorld()
        world.gateway.answer(.refusedForNow("451 later"), .broken("reset"))
        try await world.add(.code())
        try await world.lane().run()
        world.clock.advance(.seconds(9))
        try await world.lane().run()
        #expect(world.gateway.received.count == 1)
        world.clock.advance(.seconds(1))
        try await world.lane().run()
        world.clock.advance(.seconds(30))
        try await world.lane().run()
        let received = world.gateway.received
        #expect(received.map(\.attempts) == [1, 2, 3] && Set(received.map(\.id)).count == 1)
        #expect(Set(received.map(\.text)).count == 1)
        #expect(try await world.state(of: .code()) == .sent)
    }

    @Test("Trap: Nobody learns why a message waits – the outbox says it until the message is sent, in one line")
    func delay() async throws {
        let world = try MessageWorld()
        func entry() async throws -> OutboxEntry? {
            try await world.database.read { try OutboxEntry.find(.numbered(1), in: $0) }
        }
        let words = "The certificate of the relay is not trusted:\r\n" + String(repeating: "x", count: 300)
        world.gateway.answer(.refusedForNow(words))
        try await world.add(.code())
        #expect(try await entry()?.delay == nil)
        try await world.lane().run()
        let delay = try #require(try await entry()?.delay)
        #expect(delay.hasPrefix("The certificate of the relay is not trusted: xxx") && delay.count == 200)
        world.clock.advance(.seconds(10))
        try await world.lane().run()
        #expect(try await entry()?.state == .sent)
        #expect(try await entry()?.delay == nil)
    }

    @Test("A code that no gateway accepts expires after ten minutes, and its content is deleted")
    func expired() async throws {
        let world = try MessageWorld()
        world.gateway.answer(.refusedForNow("451"), .refusedForNow("451"), .refusedForNow("451"), .refusedForNow("452"))
        try await world.add(.code())
        for _ in 0..<100 {
            try await world.lane().run()
            world.clock.advance(.seconds(10))
        }
        #expect(try await world.state(of: .code()) == .failed(MessageFailure(.expired, "452")))
        #expect(world.gateway.received.count == 4)
        #expect(try await world.contentOfQueue() == 0)
    }

    @Test("A message that was due while the server was off is not sent after its end")
    func overslept() async throws {
        let world = try MessageWorld()
        try await world.add(.code())
        world.clock.advance(.seconds(600))
        try await world.lane().run()
        #expect(world.gateway.received.isEmpty)
        #expect(try await world.state(of: .code()) == .failed(MessageFailure(.expired, "It was due too late.")))
    }

    @Test("A refusal is stored with its reason, and reported in the same transaction")
    func refused() async throws {
        var world = try MessageWorld()
        let told = Mutex<[FailedMessage]>([])
        let sent = Mutex<[Signals]>([])
        let signals = Signals(moved: [.numbered(3)])
        let teller = SignalSender { signals, _ in sent.withLock { $0.append(signals) } }
        world.reports = FailureReports(signals: teller) { failed, _ in
            told.withLock { $0.append(failed) }
            return signals
        }
        world.gateway.answer(.refused("550 5.1.1 No such user\r\nBcc: eve@example.com"))
        let sender = AccountID.numbered(9)
        try await world.add(.invitation(by: sender))
        try await world.lane().run()
        let failure = MessageFailure(.refused, "550 5.1.1 No such user Bcc: eve@example.com")
        #expect(try await world.state(of: .invitation()) == .failed(failure))
        let expected = FailedMessage(id: .numbered(1), kind: .invitation, sender: sender, failure: failure)
        #expect(told.withLock { $0 } == [expected])
        #expect(sent.withLock { $0 } == [signals])
    }

    @Test("A bounce turns a sent message to failed, once")
    func bounced() async throws {
        let world = try MessageWorld()
        try await world.add(.code())
        try await world.lane().run()
        let failure = MessageFailure(.undelivered, "30005")
        for isFirst in [true, false] {
            let failed = try await world.database.write { [queue = world.queue] in
                try queue.fail(.numbered(1), failure, in: $0)
            }
            #expect((failed?.failure == failure) == isFirst)
            #expect(try await world.state(of: .code()) == .failed(failure))
        }
    }

    @Test("Codes go out before invitations that wait longer")
    func urgency() async throws {
        let world = try MessageWorld()
        try await world.add(.invitation(1, to: "a@example.com"))
        try await world.add(.invitation(2, to: "b@example.com"))
        world.clock.advance(.seconds(1))
        try await world.add(.code(3))
        try await world.lane().run()
        #expect(world.gateway.received.map(\.id) == [.numbered(3), .numbered(1), .numbered(2)])
    }

    @Test("Each channel delivers its own messages")
    func channels() async throws {
        let world = try MessageWorld()
        var sms = OutgoingMessage.code(2, to: "+436641234567")
        sms.channel = .sms
        try await world.add(.code(1))
        try await world.add(sms)
        try await world.lane(.sms).run()
        #expect(world.gateway.received.map(\.recipient) == ["+436641234567"])
        #expect(world.gateway.received.first?.html == "")
        try await world.lane(.email).run()
        #expect(world.gateway.received.count == 2)
    }

    @Test(
        "A recipient to which the channel cannot deliver is told from the start",
        arguments: [
            ("", OutgoingMessage.Channel.email), ("ada", .email), ("ada@example.com\r\nBcc: eve@example.com", .email),
            ("ada@example.com\0", .email), ("ада@example.com", .email), ("ada@example.com, eve@example.com", .email),
            ("0664 1234567", .sms), ("ada@example.com", .sms), ("+43664\r\n1234567", .sms),
        ])
    func badRecipients(recipient: String, channel: OutgoingMessage.Channel) async throws {
        let world = try MessageWorld()
        var message = OutgoingMessage.code(to: recipient)
        message.channel = channel
        #expect(try await world.add(message) == .failed(MessageFailure(.badRecipient)))
        try await world.lane(channel).run()
        #expect(world.gateway.received.isEmpty)
        #expect(try await world.contentOfQueue() == 0)
    }

    @Test("The fifth invitation in a day reaches a recipient and the sixth does not; a code still does")
    func recipientLimit() async throws {
        let world = try MessageWorld()
        for number in 1...5 as ClosedRange<UInt8> { #expect(try await world.add(.invitation(number)) == .queued) }
        #expect(try await world.add(.invitation(6)) == .failed(MessageFailure(.recipientLimit)))
        #expect(try await world.add(.invitation(7, to: "ADA@example.com")) == .failed(MessageFailure(.recipientLimit)))
        #expect(try await world.add(.invitation(8, to: "ben@example.com")) == .queued)
        #expect(try await world.add(.code(9)) == .queued)
        world.clock.advance(.days(1))
        #expect(try await world.add(.invitation(10)) == .queued)
    }

    @Test("Trap: The clock was ahead – the messages that were added then do not count when it is right again")
    func clockAhead() async throws {
        let world = try MessageWorld()
        world.clock.advance(.seconds(5 * 3600))
        for number in 1...5 as ClosedRange<UInt8> { #expect(try await world.add(.invitation(number)) == .queued) }
        #expect(try await world.add(.invitation(6)) == .failed(MessageFailure(.recipientLimit)))
        world.clock.advance(.seconds(-5 * 3600))
        #expect(try await world.add(.invitation(7)) == .queued)
    }

    @Test("A sender and the server have budgets; what is refused takes nothing from them")
    func budgets() async throws {
        var limits = MessageLimits()
        (limits.ofSender, limits.inAll) = (2, 3)
        let world = try MessageWorld(limits: limits)
        let (ben, eve) = (AccountID.numbered(1), AccountID.numbered(2))
        #expect(
            try await world.add(.invitation(1, to: "no address", by: eve)) == .failed(MessageFailure(.badRecipient)))
        #expect(try await world.add(.invitation(2, to: "a@example.com", by: eve)) == .queued)
        #expect(try await world.add(.invitation(3, to: "b@example.com", by: eve)) == .queued)
        #expect(
            try await world.add(.invitation(4, to: "c@example.com", by: eve)) == .failed(MessageFailure(.senderLimit)))
        #expect(try await world.add(.invitation(5, to: "d@example.com", by: ben)) == .queued)
        #expect(try await world.add(.invitation(6, to: "e@example.com", by: ben)) == .failed(MessageFailure(.budget)))
        world.clock.advance(.days(1))
        #expect(try await world.add(.invitation(7, to: "f@example.com", by: eve)) == .queued)
    }

    @Test("Trap: Invitations use up the messages of the day – codes have a fifth of them for themselves")
    func reserve() async throws {
        var limits = MessageLimits()
        limits.inAll = 10
        let world = try MessageWorld(limits: limits)
        for number in 1...8 as ClosedRange<UInt8> {
            #expect(try await world.add(.invitation(number, to: "a\(number)@example.com")) == .queued)
        }
        #expect(try await world.add(.invitation(9, to: "b@example.com")) == .failed(MessageFailure(.budget)))
        #expect(try await world.add(.code(10)) == .queued)
        #expect(try await world.add(.code(11)) == .queued)
        #expect(try await world.add(.code(12)) == .failed(MessageFailure(.budget)))
    }

    @Test("Trap: A tag in the address makes another recipient – one mailbox has one limit")
    func tags() async throws {
        let world = try MessageWorld()
        for number in 1...5 as ClosedRange<UInt8> {
            #expect(try await world.add(.invitation(number, to: "ada+\(number)@example.com")) == .queued)
        }
        for (number, address) in [(6 as UInt8, "ada+6@example.com"), (7, "ada@example.com")] {
            #expect(try await world.add(.invitation(number, to: address)) == .failed(MessageFailure(.recipientLimit)))
        }
        #expect(try await world.add(.invitation(8, to: "ada@example.org")) == .queued)
        #expect(try await world.add(.invitation(9, to: "+1@example.com")) == .queued)
    }

    @Test("Trap: Somebody requests codes for an address with many tags – its owner gets codes and notices all the same")
    func codesForTags() async throws {
        let world = try MessageWorld()
        for number in 1...60 as ClosedRange<UInt8> {
            #expect(try await world.add(.code(number, to: "ada+\(number)@example.com")) == .queued)
        }
        #expect(try await world.add(.code(61)) == .queued)
        #expect(try await world.add(.notice(62)) == .queued)
        #expect(try await world.add(.invitation(63)) == .queued)
    }

    @Test(
        "Trap: Messages that anybody can cause use up the messages to a recipient – notices have a limit of their own")
    func notices() async throws {
        var limits = MessageLimits()
        (limits.codesOfRecipient, limits.noticesOfRecipient) = (3, 2)
        let world = try MessageWorld(limits: limits)
        for number in 1...5 as ClosedRange<UInt8> { #expect(try await world.add(.invitation(number)) == .queued) }
        for number in 6...8 as ClosedRange<UInt8> { #expect(try await world.add(.code(number)) == .queued) }
        #expect(try await world.add(.code(9)) == .failed(MessageFailure(.recipientLimit)))
        for number in 10...11 as ClosedRange<UInt8> { #expect(try await world.add(.notice(number)) == .queued) }
        #expect(try await world.add(.notice(12)) == .failed(MessageFailure(.recipientLimit)))
        #expect(try await world.add(.notice(13, to: "ada+1@example.com")) == .queued)
        world.clock.advance(.days(1))
        #expect(try await world.add(.code(14)) == .queued)
        #expect(try await world.add(.notice(15)) == .queued)
    }

    @Test("Messages of a deleted account are not sent, and old ones are forgotten")
    func forgotten() async throws {
        let world = try MessageWorld()
        let ben = AccountID.numbered(1)
        try await world.add(.invitation(1, by: ben))
        try await world.database.write { try MessageQueue.remove(of: ben, in: $0) }
        try await world.add(.code(2))
        try await world.lane().run()
        #expect(world.gateway.received.map(\.id) == [.numbered(2)])
        let now = world.now
        #expect(try await world.database.write { try MessageQueue.purge(now + MessageLimits.kept, 100, in: $0) } == 0)
        let later = now + MessageLimits.kept + .seconds(1)
        #expect(try await world.database.write { try MessageQueue.purge(later, 100, in: $0) } == 1)
    }
}
