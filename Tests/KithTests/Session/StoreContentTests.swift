import Foundation
import Kith
import KithModel
import Testing

@Suite("A store with one record of a kind") struct StoreContentTests {
    /// A record of each kind that a user could miss.
    private static let samples: [RecordCollection: Fields] = [
        .profiles: ["given": "Ada"], .contacts: ["asked": 1],
        .invitations: ["recipient": "mailto:ben@example.com", "purpose": "join"],
        .shareables: ["programme": "friends", "code": "ADA-TEA"],
        .shares: [
            "shareable": .text(ShareableID(UUID(high: 7, low: 9)).description), "channel": "sheet", "shared": 1,
        ],
        .claims: ["code": "BEN-TEA", "used": 1],
        .referrals: ["programme": "friends", "basis": "code", "joined": 1],
        .rewards: ["programme": "friends", "name": "tea", "side": "advocate", "granted": 1],
        RecordCollection(rawValue: "later"): ["name": "A kind of a newer version"],
    ]
    /// The kinds whose records are parts of lists, or that users never see. A list needs other records: see `StoreTests`.
    private static let others: Set<RecordCollection> = [.lists, .items, .members, .memberships, .events]

    @Test("Each kind of record is in this test, as content or as none") func complete() {
        let known = Set(Self.samples.keys).union(Self.others)
        #expect(Set(Schema.all.map(\.collection)).subtracting(known).isEmpty)
    }

    @Test("Law 13: It is not empty, and is reported by everything that hides it", arguments: Self.samples.keys.sorted())
    func counted(collection: RecordCollection) async throws {
        let phone = try Phone()
        let client = phone.client
        try await client.syncNow()
        let account = try #require(try await client.session.account())
        let scope = AccountScope.account(account)
        #expect(try await client.accounts.store(scope)?.isEmpty == true)
        let id: RecordID<Never> = collection == .profiles ? Profile.id : RecordID(UUID(high: 7, low: 8))
        let fields = Self.samples[collection]
        phone.server.change { $0.write(collection, id, fields, in: account.retyped(), at: phone.clock.now) }
        try await client.syncNow()
        let store = try #require(try await client.accounts.store(scope))
        #expect(store.records == [collection: 1] && !store.isEmpty && store.waiting == 0)
        let token = phone.server.change { $0.openSession(at: phone.clock.now) }.token
        #expect(try await client.session.activate(token: token).hidden.stores.map(\.scope) == [scope])
        #expect(try await client.accounts.undecided().map(\.scope) == [scope])
        #expect(try await client.status().otherStores.map(\.scope) == [scope])
        try await client.session.select(scope)
        #expect(try await client.session.logOut().hidden.stores.map(\.scope) == [scope])
    }

    @Test("A profile that was emptied, and an event, are nothing to miss") func nothing() async throws {
        let phone = try Phone()
        let client = phone.client
        try await client.syncNow()
        let account = try #require(try await client.session.account())
        try await client.network.updateProfile { $0.given = "Ada" }
        try await client.sharing.record(event: "order", in: "friends")
        #expect(try await client.accounts.store(.account(account))?.records == [.profiles: 1])
        try await client.network.updateProfile { $0.given = nil }
        try await client.syncNow()
        #expect(try await client.accounts.store(.account(account))?.isEmpty == true)
    }
}
