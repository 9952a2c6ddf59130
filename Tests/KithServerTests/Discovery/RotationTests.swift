import Foundation
import KithModel
import KithServer
import OPRF
import Synchronization
import Testing

@Suite("Keys of discovery") struct RotationTests {
    private let folder = Folder()

    private static let people = (10..<22).map { "tel:+43664000000\($0)" }

    private struct Stopped: Error {}

    private func described(_ seeker: Seeker, at now: Timestamp = Seeker.noon) async throws -> [DiscoveryDescription.Key]
    {
        try await seeker.service.describe(for: seeker.account, at: now).keys
    }

    @Test("a new key is served when all identities are evaluated under it; the old one is served until its end")
    func rotation() async throws {
        let seeker = try await Seeker()
        var accounts: [AccountID] = []
        for person in Self.people { accounts.append(try await seeker.register(person)) }
        let old = try await described(seeker)[0].id
        let new = try seeker.keys.add().id
        #expect(try await described(seeker).map(\.id) == [old])

        let later = Seeker.noon + .days(1)
        try await seeker.keepUp(at: later, step: 5)
        let keys = try await described(seeker, at: later)
        #expect(keys.map(\.id) == [new, old])
        #expect(keys.map(\.until) == [nil, later + Limits.keyOverlap])
        for (person, account) in zip(Self.people, accounts) {
            #expect(try await seeker.find(person, key: old, at: later) == account)
            #expect(try await seeker.find(person, key: new, at: later) == account)
        }

        // Who joins is found under both, and who leaves under neither.
        let joiner = try await seeker.register("mailto:new@example.com", at: later)
        let leaver = accounts[0]
        try await seeker.change(at: later) { try $0.withdraw(leaver, in: $1) }
        for key in [old, new] {
            #expect(try await seeker.find("mailto:new@example.com", key: key, at: later) == joiner)
            #expect(try await seeker.find(Self.people[0], key: key, at: later) == nil)
        }

        let end = later + Limits.keyOverlap
        #expect(try await described(seeker, at: end).map(\.id) == [new])
        let expired = await refusal {
            try await seeker.service.look(BucketRequest(key: old, bits: 0, prefixes: [0]), at: end)
        }
        #expect(expired?.code == .keyExpired)
        try await seeker.keepUp(at: end)
        #expect(try seeker.keys.all().map(\.id) == [new])
        let names = try await seeker.dump("evaluation").map { try $0.text(0) }
        #expect(Set(names) == [new])
        #expect(try await seeker.find(Self.people[1], at: end) == accounts[1])
    }

    @Test("the preparation of a key resumes where it stopped", arguments: [1, 2]) func restart(stop: Int) async throws {
        let seeker = try await Seeker()
        var accounts: [AccountID] = []
        for person in Self.people { accounts.append(try await seeker.register(person)) }
        let new = try seeker.keys.add().id
        let upkeep = DiscoveryUpkeep(database: seeker.database, keys: seeker.keys, step: 5)
        await #expect(throws: Stopped.self) {
            try await upkeep.run(at: Seeker.noon) { if $0 >= 5 * stop { throw Stopped() } }
        }
        // Meanwhile one joins who would stand before what is done, one leaves, and one does not want to be found.
        let early = try await seeker.register("mailto:ada@example.com")
        let gone = try #require(Identity(Self.people[11]))
        try await seeker.change { try $0.remove(gone, in: $1) }
        let hidden = accounts[10]
        try await seeker.change { try $0.withdraw(hidden, in: $1) }
        #expect(try await described(seeker).count == 1)

        let counts = Counts()
        let restarted = DiscoveryUpkeep(database: seeker.database, keys: seeker.keys, step: 5)
        try await restarted.run(at: Seeker.noon) { counts.add($0) }
        // Twelve, less those that were done, and the one that left.
        #expect(counts.last == 11 - 5 * stop)
        #expect(try await described(seeker)[0].id == new)
        #expect(try await seeker.find("mailto:ada@example.com") == early)
        for (index, person) in Self.people.enumerated() {
            #expect(try await seeker.find(person) == (index < 10 ? accounts[index] : nil))
        }
        try await seeker.change { try $0.restore(hidden, in: $1) }
        #expect(try await seeker.find(Self.people[10]) == hidden)
    }

    @Test("after a lost key file every device runs a new look, and everybody is still found") func lostKeys()
        async throws
    {
        let seeker = try await Seeker()
        let account = try await seeker.register(Self.people[0])
        let old = try await described(seeker)[0].id
        let other = try await Seeker(seeker.database)
        #expect(await refusal { try await other.service.describe(for: other.account, at: Seeker.noon) }?.code == .busy)
        try await other.keepUp()
        let keys = try await described(other)
        #expect(keys.count == 1 && keys[0].id != old)
        #expect(try await other.find(Self.people[0]) == account)
        #expect(try await seeker.dump("evaluation").count == 1)
    }

    @Test("Trap: A forgotten key comes back with the sequences that devices have read – they read whole buckets")
    func returned() async throws {
        let seeker = try await Seeker()
        try await seeker.crowd(300)
        let account = try await seeker.register(Self.people[0])
        let old = try await described(seeker)[0].id
        let output = try await seeker.output(of: Self.people[0], key: old)
        let since = try await seeker.bucket(of: output).answer.sequence

        let other = try await Seeker(seeker.database)
        try await other.keepUp()
        let identity = try #require(Identity(Self.people[0]))
        try await other.change { try $0.remove(identity, in: $1) }
        let later = Seeker.noon + .days(1)
        try await seeker.keepUp(at: later)
        #expect(try await described(seeker, at: later).map(\.id) == [old])
        try await seeker.crowd(400)
        let told = try await seeker.bucket(of: output, since: since, at: later)
        #expect(!told.answer.isChanges)
        #expect(!told.bucket.entries.contains { output.unmasked($0.account) == account })
    }

    @Test("while a lost key is waited for, no other key replaces it, and it can come back") func waiting()
        async throws
    {
        let seeker = try await Seeker()
        let account = try await seeker.register(Self.people[0])
        let before = try await described(seeker)
        let other = try await Seeker(seeker.database)
        let upkeep = DiscoveryUpkeep(database: other.database, keys: other.keys)
        #expect(try await upkeep.lostKeys(at: Seeker.noon) == [before[0].id])
        try await other.keepUp(givingUp: [])
        #expect(await refusal { try await other.service.describe(for: other.account, at: Seeker.noon) }?.code == .busy)
        #expect(try await described(seeker) == before)
        #expect(try await seeker.find(Self.people[0]) == account)
        // Nobody has used the key that was made meanwhile, so nobody waits for it.
        let right = DiscoveryUpkeep(database: seeker.database, keys: seeker.keys)
        #expect(try await right.lostKeys(at: Seeker.noon).isEmpty)
        try await seeker.keepUp(givingUp: [])
        #expect(try await seeker.dump("discovery_key").count == 1)
    }

    @Test("Trap: An identity is added while a key is lost, which would lack it after its return – the key has ended")
    func addedMeanwhile() async throws {
        let seeker = try await Seeker()
        let ada = try await seeker.register(Self.people[0])
        let old = try await described(seeker)[0].id
        let other = try await Seeker(seeker.database)
        try await other.keepUp(givingUp: [])
        let ben = try await other.register(Self.people[1])
        try await seeker.keepUp()
        #expect(try await !described(seeker).contains { $0.id == old })
        #expect(try await seeker.find(Self.people[0]) == ada)
        #expect(try await seeker.find(Self.people[1]) == ben)
    }

    @Test("with a file from before a renewal, which has only a key that ends, a new key is made") func olderFile()
        async throws
    {
        let (file, copy) = (folder.url.appending(path: "keys"), folder.url.appending(path: "copy"))
        let seeker = try await Seeker(keys: DiscoveryKeys(file: file))
        let account = try await seeker.register(Self.people[0])
        try FileManager.default.copyItem(at: file, to: copy)
        let renewed = try seeker.keys.add().id
        try await seeker.keepUp()
        let older = try await Seeker(seeker.database, keys: DiscoveryKeys(file: copy))
        try await older.keepUp()
        let keys = try await described(older)
        #expect(keys.count == 2 && keys[0].until == nil && keys[0].id != renewed)
        #expect(try await older.find(Self.people[0]) == account)
    }

    @Test("Trap: another process renews the key just before a change is stored – it is made under the new key too")
    func renewed() async throws {
        let file = folder.url.appending(path: "keys")
        let seeker = try await Seeker(keys: DiscoveryKeys(file: file))
        let ben = try await seeker.register(Self.people[1])
        let ada = try await seeker.newAccount()
        let renewed = RenewedDatabase(seeker.database) { database in
            let admin = DiscoveryKeys(file: file)
            _ = try admin.add()
            try await DiscoveryUpkeep(database: database, keys: admin).run(at: Seeker.noon)
        }
        let register = IdentityRegister(keys: seeker.keys, at: Seeker.noon)
        let added = try #require(Identity(Self.people[0]))
        try await renewed.write { _ = try register.add(added, to: ada, in: $0) }
        var keys = try await described(seeker).map(\.id)
        #expect(keys.count == 2)
        for key in keys { #expect(try await seeker.find(Self.people[0], key: key) == ada) }

        let queue = MessageQueue(
            composer: try MessageComposer(MessageSettings()), address: { "https://kith.example" })
        let service = IdentityService(database: renewed, messages: queue, discoveryKeys: seeker.keys, signals: .none)
        let removed = try #require(Identity(Self.people[1]))
        try await service.remove(removed, of: ben, evenLast: true, from: "203.0.113.7", at: Seeker.noon)
        keys = try await described(seeker).map(\.id)
        #expect(keys.count == 3)
        for key in keys { #expect(try await seeker.find(Self.people[1], key: key) == nil) }
    }

    @Test("the file of the keys is its owner's alone, is shared by two programs, and is never in the database")
    func file() async throws {
        let url = folder.url.appending(path: "kith.sqlite.discovery-key")
        let (server, admin) = (DiscoveryKeys(file: url), DiscoveryKeys(file: url))
        let first = try server.all().map(\.id)
        #expect(try admin.all().map(\.id) == first)
        #expect(try mode(url) == 0o600)
        let second = try admin.add().id
        #expect(try server.all().map(\.id) == first + [second])
        #expect(try server.all().map(\.secret.bytes) == admin.all().map(\.secret.bytes))
        try server.remove([first[0]])
        #expect(try admin.all().map(\.id) == [second])
        #expect(try mode(url) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [url.lastPathComponent])
    }

    @Test(
        "a key file that others can read, or that is damaged, is refused with advice", arguments: ["open", "damaged"])
    func badFile(kind: String) async throws {
        let url = folder.url.appending(path: "keys")
        _ = try DiscoveryKeys(file: url).all()
        if kind == "open" {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: url.path)
        } else {
            try Data("{}".utf8).write(to: url)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
        }
        let refused = await refusal { try DiscoveryKeys(file: url).all() }
        #expect(refused?.code == .busy)
        #expect(refused?.sentence.contains(kind == "open" ? "chmod 600" : "Restore it") == true)
    }

    private func mode(_ url: URL) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber)?.intValue
    }
}

/// A database with another process that does something before each write.
private final class RenewedDatabase: DatabaseDouble {
    let database: any Database
    private let renew: @Sendable (any Database) async throws -> Void

    init(_ database: any Database, _ renew: @escaping @Sendable (any Database) async throws -> Void) {
        (self.database, self.renew) = (database, renew)
    }

    func performWrite(_ work: any TransactionWork, inTurn turn: FeedTurn?) async throws {
        try await renew(database)
        try await database.write { try work.run(in: $0) }
    }
}

/// Counts that a callback is given.
private final class Counts: Sendable {
    private let values = Mutex<[Int]>([])
    func add(_ value: Int) { values.withLock { $0.append(value) } }
    var last: Int? { values.withLock(\.last) }
}
