import Foundation
import KithModel
import Testing

import Kith

@Suite("Shares, used codes and events on a device") struct SharesTests {
    private let phone: Phone
    private let ben: Identity

    init() throws {
        phone = try Phone(address: "https://kith.example")
        ben = .email(try #require(EmailAddress("ben@example.com")))
    }

    private var sharing: Sharing { phone.client.sharing }

    private func people(_ numbers: ClosedRange<Int>) throws -> [Identity] {
        try numbers.map { .email(try #require(EmailAddress("p\($0)@example.com"))) }
    }

    /// What the server has in the account's feed.
    private func onServer(_ collection: RecordCollection) async throws -> [Fields] {
        let account = try present(await phone.client.session.account())
        return phone.server.change { world in
            (world.feeds[account.retyped()]?.live ?? []).filter { $0.entry.collection == collection }
                .map(\.entry.state.fields)
        }
    }

    // MARK: Shares

    @Test("A completed sheet is a share of the device; the same identity is stored once") func sheet() async throws {
        let mine = try await sharing.shareable(in: "friends").id
        let id = ShareID(stable: "sheet 1", in: "com.example.test")
        let share = try await sharing.share(mine, by: .sheet, to: ben, data: #"{"screen": "home"}"#, id: id)
        #expect(share.id == id && share.status == .shared && share.channel == .sheet && share.recipient == ben)
        #expect(share.shareable == mine && share.shared == phone.clock.now)
        #expect(try await sharing.share(mine, by: .sheet, id: id) == share)
        let own = try #require(ShareChannel(rawValue: "poster"))
        phone.clock.advance(by: .seconds(1))
        try await sharing.share(mine, by: own)
        #expect(try await sharing.shares().map(\.channel) == [own, .sheet])
        #expect(try await sharing.share(id) == share)
        try await phone.client.syncNow()
        #expect(try await onServer(.shares).count == 2)
    }

    @Test("What is shared by email needs a text of its own, and a shareable has to exist") func wrongShares()
        async throws
    {
        let mine = try await sharing.shareable(in: "friends").id
        #expect(await code { try await sharing.share(mine, by: .email) } == .invalid)
        #expect(await code { try await sharing.share(ShareableID(UUID()), by: .sheet) } == .notFound)
        #expect(await code { try await sharing.share(mine, by: .sheet, data: "x") } == .invalid)
        let number = Identity.phone(try #require(E164("+436641234567")))
        #expect(await code { try await sharing.email(mine, to: number) } == .invalid)
        #expect(try await sharing.shares().isEmpty)
    }

    @Test("An email waits for the server, and its status follows on the device") func email() async throws {
        let mine = try await sharing.shareable(in: "friends").id
        let share = try await sharing.email(mine, to: ben, subject: "Tea", message: "Come!", language: "de")
        #expect(share.status == .pending && share.channel == .email && share.language == "de")
        #expect(share.subject == "Tea" && share.message == "Come!")
        try await phone.client.syncNow()
        let account = try present(await phone.client.session.account())
        let now = phone.clock.now
        let failed: Fields = ["state": "failed", "reason": "badRecipient", "detail": "550"]
        let steps: [(Fields, Share.Status)] = [
            (["state": "sent"], .sent), (failed, .failed(.init(.badRecipient, detail: "550"))),
        ]
        for (fields, status) in steps {
            phone.server.change { $0.write(.shares, share.id.retyped(), fields, in: account.retyped(), at: now) }
            try await phone.client.syncNow()
            #expect(try await sharing.share(share.id)?.status == status)
        }
    }

    @Test("Trap: FAILED is polled until the time-out – a failure arrives as a change, and nothing waits")
    func failure() async throws {
        let mine = try await sharing.shareable(in: "friends").id
        let share = try await sharing.email(mine, to: ben)
        #expect(share.status == .pending)
        try await phone.client.syncNow()
        let account = try present(await phone.client.session.account())
        let now = phone.clock.now
        let fields: Fields = ["state": "failed", "reason": "refused"]
        phone.server.change { $0.write(.shares, share.id.retyped(), fields, in: account.retyped(), at: now) }
        try await phone.client.syncNow()
        let failed = Share.Status.failed(.init(.refused))
        #expect(try await sharing.share(share.id)?.status == failed)
        #expect(try await phone.waiting() == 0)
        let requests = phone.server.requests.count
        for _ in 0..<3 { #expect(try await sharing.shares().map(\.status) == [failed]) }
        #expect(phone.server.requests.count == requests, "Reading asks the server nothing.")
        // The same share is not sent again.
        #expect(try await sharing.email(mine, to: ben, id: share.id).status == failed)
        #expect(try await phone.waiting() == 0)
    }

    @Test("Each of several recipients has a result, one named twice gets one email; more than a hundred are refused")
    func batch() async throws {
        let mine = try await sharing.shareable(in: "friends").id
        let number = Identity.phone(try #require(E164("+436641234567")))
        let recipients = try people(1...2) + [number] + people(1...1)
        let results = try await sharing.email(mine, to: recipients, message: "Come!")
        #expect(results.map(\.recipient) == recipients)
        #expect(results.map { (try? $0.result.get()) != nil } == [true, true, false, true])
        #expect(try results[0].result.get() == results[3].result.get())
        #expect(try await sharing.shares().count == 2)
        let crowd = try people(1...Limits.bulkShares + 1)
        #expect(await code { _ = try await sharing.email(mine, to: crowd) } == .tooMany)
        #expect(try await sharing.email(mine, to: people(1...Limits.bulkShares)).count == Limits.bulkShares)
    }

    @Test("Emails that are sent again as the same batch reach nobody twice, and each other batch does")
    func repeatedBatch() async throws {
        let mine = try await sharing.shareable(in: "friends").id
        let first = try await sharing.email(mine, to: people(1...2), batch: "May")
        let repeated = try await sharing.email(mine, to: people(1...3), batch: "May")
        #expect(try repeated.prefix(2).map { try $0.result.get().id } == first.map { try $0.result.get().id })
        #expect(try await sharing.shares().count == 3)
        _ = try await sharing.email(mine, to: people(1...2), batch: "June")
        #expect(try await sharing.shares().count == 5)
    }

    // MARK: Codes of others

    @Test(
        "A code is used as it is typed, or from its link, offline and once",
        arguments: ["ben tea", "BEN-TEA", "https://kith.example/s/BEN-TEA?c=sheet", "kith://s/BENTEA"])
    func using(typed: String) async throws {
        let claim = try await sharing.use(code: typed)
        #expect(try claim.code == ShareCode("BEN-TEA"))
        #expect(claim.status == .open && claim.used == phone.clock.now)
        #expect(claim.channel == (typed.contains("?c=") ? .sheet : nil))
        #expect(try await sharing.use(code: "Ben-Tea") == claim)
        #expect(try await sharing.claims() == [claim])
        #expect(try await phone.waiting() == 1)
    }

    @Test("Trap: Guards – one's own code, and a text that is no code, are refused on the device") func noCode()
        async throws
    {
        let mine = try await sharing.shareable(in: "friends")
        #expect(await code { try await sharing.use(code: mine.code.text.lowercased()) } == .yourOwnCode)
        #expect(await code { try await sharing.use(code: "tränen") } == .codeIllegal)
        #expect(await code { try await sharing.use(code: "") } == .codeLength)
        #expect(try await sharing.claims().isEmpty)
    }

    @Test(
        "A code that was refused can be used again only if that can help",
        arguments: [("unknownCode", 2), ("paused", 2), ("alreadyBound", 1), ("tooLate", 1), ("yourOwn", 1), ("new", 1)])
    func refused(reason: String, count: Int) async throws {
        let claim = try await sharing.use(code: "BEN-TEA")
        try await phone.client.syncNow()
        let account = try present(await phone.client.session.account())
        let now = phone.clock.now
        let fields: Fields = ["state": "refused", "reason": .text(reason)]
        phone.server.change { $0.write(.claims, claim.id.retyped(), fields, in: account.retyped(), at: now) }
        try await phone.client.syncNow()
        #expect(try await sharing.claims().map(\.status) == [.refused(.init(rawValue: reason))])
        try await sharing.use(code: "BEN-TEA")
        #expect(try await sharing.claims().count == count)
    }

    // MARK: Events

    @Test("An event is recorded once for its identity, and its record goes when the server has counted it")
    func events() async throws {
        let id = SharingEventID(stable: "order 1", in: "com.example.test")
        for _ in 1...2 { try await sharing.record(event: "order", in: "friends", data: #"{"sum": 12}"#, id: id) }
        try await sharing.record(event: "order", in: "friends")
        #expect(try await phone.waiting() == 2)
        #expect(await code { try await sharing.record(event: "joined", in: "friends") } == .invalid)
        #expect(await code { try await sharing.record(event: "", in: "friends") } == .invalid)
        #expect(await code { try await sharing.record(event: "order", in: "No Name") } == .invalid)
        try await phone.client.syncNow()
        #expect(try await onServer(.events).compactMap { $0["name"]?.text } == ["order", "order"])
        let account = try present(await phone.client.session.account())
        let now = phone.clock.now
        phone.server.change { $0.write(.events, id.retyped(), nil, in: account.retyped(), at: now) }
        try await phone.client.syncNow()
        #expect(try phone.client.replica.records(of: .events).count == 1)
        #expect(try await phone.client.rejections().isEmpty)
    }
}
