import Foundation
import KithModel
import KithServer
import Testing

@Suite("The register of identities") struct IdentityRegisterTests {
    private static let ada = "tel:+436641234567"
    private let seeker: Seeker

    init() async throws { seeker = try await Seeker() }

    @Test("people are found by their own numbers only") func found() async throws {
        let account = try await seeker.register(Self.ada)
        try await seeker.register("mailto:ben@example.com")
        #expect(try await seeker.find(Self.ada) == account)
        #expect(try await seeker.find("tel:+436641234568") == nil)
        #expect(try await seeker.find("mailto:ada@example.com") == nil)
    }

    @Test("Every number and every email of an account counts") func several() async throws {
        let account = try await seeker.register(Self.ada)
        try await seeker.register("tel:+4315551234", of: account)
        try await seeker.register("mailto:ada@example.com", of: account)
        for text in [Self.ada, "tel:+4315551234", "mailto:ada@example.com"] {
            #expect(try await seeker.find(text) == account)
        }
        let identities = try await seeker.change { try $0.identities(of: account, in: $1) }
        #expect(identities.map(\.text) == ["mailto:ada@example.com", "tel:+4315551234", Self.ada])
    }

    @Test("Trap: A number given twice is both found and not found – it is one identity, of one account")
    func twice() async throws {
        let account = try await seeker.register(Self.ada)
        let identity = try #require(Identity(Self.ada))
        let again = try await seeker.change { try $0.add(identity, to: account, in: $1) }
        #expect(again == .present)
        let other = try await seeker.newAccount()
        let refused = await refusal { try await seeker.change { try $0.add(identity, to: other, in: $1) } }
        #expect(refused?.code == .conflict)
        #expect(try await seeker.find(Self.ada) == account)

        let moved = try await seeker.change { try $0.add(identity, to: other, moving: true, in: $1) }
        #expect(moved == .moved)
        #expect(try await seeker.find(Self.ada) == other)
        #expect(try await seeker.dump("identity").count == 1)
        #expect(try await seeker.dump("evaluation").count == 1)
    }

    @Test("An account with an identity is identified: when it is added, moved and removed") func kinds() async throws {
        func kind(_ account: AccountID) async throws -> String? {
            try await seeker.database.read { transaction in
                try transaction.query("SELECT kind FROM account WHERE id = ?", [.id(account)]).first?.text(0)
            }
        }
        let (account, other) = (try await seeker.newAccount(), try await seeker.newAccount())
        #expect(try await kind(account) == "anonymous")
        try await seeker.register(Self.ada, of: account)
        #expect(try await kind(account) == "identified")
        let identity = try #require(Identity(Self.ada))
        _ = try await seeker.change { try $0.add(identity, to: other, moving: true, in: $1) }
        #expect(try await kind(account) == "anonymous")
        #expect(try await kind(other) == "identified")
        try await seeker.change { _ = try $0.remove(identity, in: $1) }
        #expect(try await kind(other) == "anonymous")
    }

    @Test("an identity needs an existing account, and an account has a limited number") func limits() async throws {
        let identity = try #require(Identity(Self.ada))
        let nobody = AccountID(UUID())
        let unknown = await refusal { try await seeker.change { try $0.add(identity, to: nobody, in: $1) } }
        #expect(unknown?.code == .notFound)
        let account = try await seeker.newAccount()
        for number in 0..<Limits.identities { try await seeker.register("tel:+4366400000\(number)", of: account) }
        let full = await refusal { try await seeker.change { try $0.add(identity, to: account, in: $1) } }
        #expect(full?.code == .tooMany)
        #expect(try await seeker.find(Self.ada) == nil)
    }

    @Test("a removed identity is not found any more, and nothing reveals which it was") func removal() async throws {
        let account = try await seeker.register(Self.ada)
        let identity = try #require(Identity(Self.ada))
        #expect(try await seeker.change { try $0.remove(identity, in: $1) })
        #expect(try await !seeker.change { try $0.remove(identity, in: $1) })
        #expect(try await seeker.find(Self.ada) == nil)
        #expect(try await seeker.dump("identity").isEmpty)
        for row in try await seeker.dump("evaluation") {
            for case .bytes(let data) in row.values { #expect(data.allSatisfy { $0 == 0 }) }
        }
        try await seeker.register(Self.ada, of: account)
        #expect(try await seeker.find(Self.ada) == account)
    }

    @Test("a profile that says so withdraws its account, and restores it when it says so no more") func byProfile()
        async throws
    {
        let database = try SQLiteDatabase.inMemory(random: RandomBytes(seed: 1))
        let seeker = try await Seeker(database)
        let account = try await seeker.register(Self.ada)
        let device: DeviceID = RecordID(UUID())
        func set(_ isDiscoverable: Bool, number: Int64) async throws {
            let mutation = Mutation(
                id: RecordID(UUID()), number: number, feed: account.retyped(), collection: .profiles,
                record: Profile.id, seen: 0, change: .set(["isDiscoverable": .flag(isDiscoverable)]))
            let acknowledged = Acknowledgement(number: number - 1, hash: "")
            let request = SyncRequest(
                account: account, device: device, acknowledged: acknowledged, sent: number, mutations: [mutation],
                token: nil)
            let answer = try await SyncService(database: database)
                .sync(request, as: account, at: Seeker.noon).answer
            #expect(answer.acknowledged.number == number && answer.outcomes.isEmpty)
        }
        #expect(try await seeker.find(Self.ada) == account)
        try await set(false, number: 1)
        #expect(try await seeker.find(Self.ada) == nil)
        try await set(true, number: 2)
        #expect(try await seeker.find(Self.ada) == account)
    }

    @Test("withdrawn people are not found by their present or later identities until they want it again")
    func withdrawal() async throws {
        let account = try await seeker.register(Self.ada)
        // Without the secret keys, as a profile's change has none at hand.
        try await seeker.database.write { try IdentityRegister(at: Seeker.noon).withdraw(account, in: $0) }
        let withdrawn = try await seeker.dump("evaluation")
        try await seeker.change { try $0.withdraw(account, in: $1) }
        #expect(try await seeker.dump("evaluation") == withdrawn)
        try await seeker.register("mailto:ada@example.com", of: account)
        #expect(try await seeker.find(Self.ada) == nil)
        #expect(try await seeker.find("mailto:ada@example.com") == nil)
        try await seeker.database.write { try IdentityRegister(at: Seeker.noon).restore(account, in: $0) }
        #expect(try await seeker.find(Self.ada) == account)
        #expect(try await seeker.find("mailto:ada@example.com") == account)
        let before = try await seeker.dump("evaluation")
        try await seeker.change { try $0.restore(account, in: $1) }
        #expect(try await seeker.dump("evaluation") == before)
    }

    @Test("a number that moves to a withdrawn account is not found any more") func movedOutOfSight()
        async throws
    {
        try await seeker.register(Self.ada)
        let hidden = try await seeker.newAccount()
        let identity = try #require(Identity(Self.ada))
        try await seeker.change { try $0.withdraw(hidden, in: $1) }
        _ = try await seeker.change { try $0.add(identity, to: hidden, moving: true, in: $1) }
        #expect(try await seeker.find(Self.ada) == nil)
    }

    @Test("a deleted account is not found by any identity") func deletion() async throws {
        let account = try await seeker.register(Self.ada)
        try await seeker.register("mailto:ada@example.com", of: account)
        try await seeker.database.write { try IdentityRegister(at: Seeker.noon).remove(account, in: $0) }
        #expect(try await seeker.find(Self.ada) == nil)
        #expect(try await seeker.find("mailto:ada@example.com") == nil)
        #expect(try await seeker.dump("identity").isEmpty)
    }

    @Test("Trap: The entry of an identity that was removed long ago is deleted while it is proved again – it is found")
    func provedDuringPurge() async throws {
        let account = try await seeker.register(Self.ada)
        let identity = try #require(Identity(Self.ada))
        try await seeker.change { try $0.remove(identity, in: $1) }
        let later = Seeker.noon + Limits.tombstones + .days(1)
        let register = IdentityRegister(keys: seeker.keys, at: later)
        let overtaken = OvertakenDatabase(seeker.database) { sql, transaction in
            guard sql.contains("DELETE FROM evaluation") else { return }
            _ = try register.add(identity, to: account, in: transaction)
        }
        try await DiscoveryUpkeep(database: overtaken, keys: seeker.keys).run(at: later)
        #expect(try await seeker.find(Self.ada, at: later) == account)
    }
}
