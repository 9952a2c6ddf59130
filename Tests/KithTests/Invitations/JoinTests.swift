import Foundation
import Kith
import KithModel
import Testing

@Suite("The invitations that are reported as accepted") struct JoinTests {
    private let server: FakeServer
    private let phone: Phone
    private let account: AccountID

    /// A device that has finished its first round.
    init() async throws {
        server = FakeServer()
        phone = try Phone(server)
        try await phone.client.syncNow()
        account = try present(await phone.client.session.account())
    }

    /// The server writes an invitation that the account has sent.
    private func write(_ number: UInt64, isAccepted: Bool, in account: AccountID? = nil) {
        let feed: FeedID = (account ?? self.account).retyped()
        var fields: Fields = ["recipient": .text("mailto:p\(number)@example.com"), "purpose": "connect"]
        if isAccepted { fields["state"] = "accepted" }
        let (id, now) = (RecordID<Never>(UUID(high: 0x0190_0000_0000_7000, low: number)), phone.clock.now)
        server.change { $0.write(.invitations, id, fields, in: feed, at: now) }
    }

    /// The stream of a device, which has begun.
    private func listening(on phone: Phone) async throws -> AsyncStream<Invitation> {
        let joins = phone.client.invitations.joins()
        try await until { phone.client.replica.hub.hasObservers }
        return joins
    }

    /// The recipients that a device reports, up to that of the last invitation, which is accepted at the end.
    private func heard(
        _ joins: AsyncStream<Invitation>, on phone: Phone, account: AccountID? = nil
    ) async throws -> [String] {
        write(99, isAccepted: false, in: account)
        try await phone.client.syncNow()
        write(99, isAccepted: true, in: account)
        try await phone.client.syncNow()
        var heard: [String] = []
        for await one in joins {
            if one.recipient?.shown == "p99@example.com" { break }
            heard.append(one.recipient?.shown ?? "")
        }
        return heard
    }

    @Test("An acceptance is reported once, whether the invitation was known before or arrives together with it")
    func once() async throws {
        write(1, isAccepted: false)
        try await phone.client.syncNow()
        let joins = try await listening(on: phone)
        write(1, isAccepted: true)
        write(2, isAccepted: true)
        try await phone.client.syncNow()
        write(1, isAccepted: true)
        write(3, isAccepted: false)
        try await phone.client.syncNow()
        #expect(try await heard(joins, on: phone).sorted() == ["p1@example.com", "p2@example.com"])
    }

    @Test("What was accepted before the stream began is not reported") func before() async throws {
        write(1, isAccepted: true)
        try await phone.client.syncNow()
        let joins = try await listening(on: phone)
        #expect(try await heard(joins, on: phone).isEmpty)
    }

    @Test(
        "The first round of a new device reports no old acceptance, however many pages it has", arguments: [1_000, 2])
    func newDevice(page: Int) async throws {
        for number in 1...5 { write(UInt64(number), isAccepted: number != 5) }
        let token = try #require(try phone.credentials.token(for: account))
        server.change { $0.page = page }
        let tablet = try Phone(server, seed: 2)
        _ = try await tablet.client.session.activate(token: token)
        let joins = try await listening(on: tablet)
        try await tablet.client.syncNow()
        write(5, isAccepted: true)
        write(6, isAccepted: true)
        try await tablet.client.syncNow()
        #expect(try await heard(joins, on: tablet).sorted() == ["p5@example.com", "p6@example.com"])
    }

    @Test("After a switch to another account, its old acceptances are not reported") func otherAccount() async throws {
        let joins = try await listening(on: phone)
        let now = phone.clock.now
        let other = server.change { $0.openSession(at: now) }
        write(1, isAccepted: true, in: other.account)
        _ = try await phone.client.session.activate(token: other.token)
        try await phone.client.syncNow()
        write(2, isAccepted: true, in: other.account)
        try await phone.client.syncNow()
        #expect(try await heard(joins, on: phone, account: other.account) == ["p2@example.com"])
    }

    @Test("Nothing is reported while the notices of the profile are switched off", arguments: [true, false])
    func switchedOff(isNotified: Bool) async throws {
        try await phone.client.network.updateProfile { $0.isNotifiedOfJoins = isNotified }
        try await phone.client.syncNow()
        var changes = phone.client.invitations.changes().makeAsyncIterator()
        let state = await changes.next()
        write(1, isAccepted: true)
        try await phone.client.syncNow()
        var seen = [try #require(state)]
        while seen.last?.added.isEmpty ?? true {
            let change = await changes.next()
            seen.append(try #require(change))
        }
        let (known, feed) = AsyncStream<Changed<Invitation>>.makeStream()
        for change in seen { feed.yield(change) }
        feed.finish()
        var heard: [String?] = []
        for await one in phone.client.invitations.joins(in: known) { heard.append(one.recipient?.shown) }
        #expect(heard == (isNotified ? ["p1@example.com"] : []))
    }

    @Test("Law 10: A listener that falls too far behind is ended", .timeLimit(.minutes(15)))
    func tooSlow() async throws {
        let slow = try Phone(server, seed: 2, unreadChanges: 3)
        try await slow.client.syncNow()
        let account = try present(await slow.client.session.account())
        let joins = try await listening(on: slow)
        for number in 1...5 { write(UInt64(number), isAccepted: true, in: account) }
        try await slow.client.syncNow()
        try await until { !slow.client.replica.hub.hasObservers }
        var heard = 0
        for await _ in joins { heard += 1 }
        #expect(heard == 3)
    }

    @Test("A received invitation that I accept is not reported") func received() async throws {
        let joins = try await listening(on: phone)
        let (id, now): (RecordID<Never>, Timestamp) = (RecordID(UUID()), phone.clock.now)
        let feed: FeedID = account.retyped()
        let fields: Fields = [
            "inviter": .text(UUID().uuidString.lowercased()), "purpose": "connect", "state": "accepted",
            "recipient": "mailto:me@example.com",
        ]
        server.change { $0.write(.invitations, id, fields, in: feed, at: now) }
        try await phone.client.syncNow()
        #expect(try await heard(joins, on: phone).isEmpty)
    }
}
