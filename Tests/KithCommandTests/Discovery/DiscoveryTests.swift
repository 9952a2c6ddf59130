import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel
import KithServer
import Testing

@Suite("Discovery, from an address book to a server", .timeLimit(.minutes(15))) struct DiscoveryTests {
    private static let people = [
        ("Ada", "0664 1234567"), ("Ben", "+49 30 1234567"), ("Cleo", "cleo@example.com"), ("Police", "133"),
    ]

    @Test("P: Someone who joins turns to “on the service” for those who have the number; every number and email counts")
    func joiners() async throws {
        try await DiscoveryWorld.run { world in
            let ada = try await world.join("tel:+436641234567")
            let device = try await world.device(Self.people)
            let first = try await device.discovery.look()
            #expect(first.identities == 3 && first.evaluated == 3)
            #expect(
                first.matches == [Discovery.Match(identity: try #require(Identity("tel:+436641234567")), account: ada)])
            #expect(first.added == first.matches)
            #expect(device.found == ["Ada"])
            #expect(device.client.addressBook.contact(withPhone: "0664 1234567")?.accounts == [ada])

            try await world.join("mailto:cleo@example.com")
            let second = try await device.discovery.look()
            #expect(second.evaluated == 0 && second.added.map(\.identity.text) == ["mailto:cleo@example.com"])
            #expect(device.found == ["Ada", "Cleo"])
        }
    }

    @Test("an unchanged address book costs one small request") func unchanged() async throws {
        try await DiscoveryWorld.run { world in
            try await world.join("tel:+436641234567")
            let device = try await world.device(Self.people)
            try await device.discovery.look()
            #expect(
                device.line.taken() == ["/v1/discovery", "/v1/discovery/evaluations", "/v1/discovery/buckets"])
            #expect(try await !device.discovery.isDue())
            try await device.discovery.look()
            #expect(device.line.taken() == ["/v1/discovery"])

            // One who is new costs one evaluation.
            try await device.setBook(Self.people + [("Dora", "dora@example.com")])
            #expect(try await device.discovery.isDue())
            #expect(try await device.discovery.look().evaluated == 1)
            world.clock.advance(.days(1))
            #expect(try await device.discovery.isDue())
        }
    }

    @Test("Matches appear in the address book: announced once as modified, and kept after a reload")
    func shown() async throws {
        try await DiscoveryWorld.run { world in
            try await world.join("tel:+436641234567")
            let device = try await world.device(Self.people)
            _ = try await device.client.addressBook.loaded()
            var heard = device.client.addressBook.changes().makeAsyncIterator()
            #expect(await heard.next()?.origin == .state)
            try await device.discovery.look()
            let modified = await heard.next()
            #expect(modified?.modified.map(\.displayName) == ["Ada"])
            #expect(modified?.added.isEmpty == true && modified?.removed.isEmpty == true)
            try await device.setBook(Self.people + [("Dora", "dora@example.com")])
            let added = await heard.next()
            #expect(added?.added.map(\.displayName) == ["Dora"] && added?.modified.isEmpty == true)
            #expect(device.found == ["Ada"])
        }
    }

    @Test("Trap: A number given twice is both found and not found – both contacts that have it show it") func twice()
        async throws
    {
        try await DiscoveryWorld.run { world in
            try await world.join("tel:+436641234567")
            let device = try await world.device([("Ada", "0664 1234567"), ("Office", "+43 664 123 45 67")])
            #expect(try await device.discovery.look().evaluated == 1)
            #expect(device.found == ["Ada", "Office"])
        }
    }

    @Test("people who leave, hide or are removed from the address book are matches no more") func leavers() async throws
    {
        try await DiscoveryWorld.run { world in
            let ada = try await world.join("tel:+436641234567")
            try await world.join("tel:+49301234567")
            try await world.join("mailto:cleo@example.com")
            let device = try await world.device(Self.people)
            try await device.discovery.look()
            #expect(device.found == ["Ada", "Ben", "Cleo"])
            var changes = device.discovery.changes().makeAsyncIterator()
            #expect(await changes.next()?.added.count == 3)

            try await world.change { try $0.withdraw(ada, in: $1) }
            let left = try #require(Identity("mailto:cleo@example.com"))
            try await world.change { try $0.remove(left, in: $1) }
            let second = try await device.discovery.look()
            #expect(second.removed.map(\.identity.text) == ["mailto:cleo@example.com", "tel:+436641234567"])
            let told = try #require(await changes.next())
            #expect(told.removed == second.removed && told.added.isEmpty)
            #expect(device.found == ["Ben"])

            try await device.setBook([("Ada", "0664 1234567")])
            let third = try await device.discovery.look()
            #expect(third.removed.map(\.identity.text) == ["tel:+49301234567"])
            #expect(try await device.discovery.status().identities == 1)
            try await world.change { try $0.restore(ada, in: $1) }
            #expect(try await device.discovery.look().added.map(\.account) == [ada])
        }
    }

    @Test("an interrupted lookup keeps its results, and resumes there") func resumes() async throws {
        try await DiscoveryWorld.run { world in
            let people = (0..<2_500).map { ("Person \($0)", "+43664\(1_000_000 + $0)") }
            try await world.join("tel:+436641000001")
            try await world.join("tel:+436641002499")
            let device = try await world.device(people)
            _ = try await device.client.session.open()
            // The description, two batches, and no more.
            device.line.breaks(after: 3)
            await #expect(throws: KithError.self) { try await device.discovery.look() }
            #expect(try await device.discovery.status().identities == 2_000)
            #expect(try await device.discovery.status().lastLooked == nil)
            device.line.mend()
            let summary = try await device.discovery.look()
            #expect(summary.evaluated == 500 && summary.quota.used == 2_500)
            #expect(device.found == ["Person 1", "Person 2499"])
        }
    }

    @Test("a used-up daily quota names the time of the next day; the results so far are kept") func quota()
        async throws
    {
        try await DiscoveryWorld.run(evaluationsADay: 2) { world in
            let cleo = try await world.join("mailto:cleo@example.com")
            try await world.join("tel:+49301234567")
            let device = try await world.device(Self.people)
            let error = await #expect(throws: KithError.self) { try await device.discovery.look() }
            #expect(error?.code == .quotaExceeded)
            #expect(error?.sentence.contains("2027-01-16T00:00:00Z") == true)
            #expect(error?.retryAfter == .seconds(12 * 3_600))
            #expect(try await device.discovery.matches().map(\.account) == [cleo])
            #expect(try await device.discovery.status().quota?.left == 0)
            world.clock.advance(.seconds(12 * 3_600))
            let summary = try await device.discovery.look()
            #expect(summary.evaluated == 1 && device.found == ["Ben", "Cleo"])
        }
    }

    @Test("everybody is found under a new key after some time, and before the old key ends") func rotation()
        async throws
    {
        try await DiscoveryWorld.run { world in
            try await world.join("tel:+436641234567")
            let device = try await world.device(Self.people)
            try await device.discovery.look()
            _ = try world.keys.add()
            try await world.keepUp()
            #expect(try await device.discovery.look().evaluated == 0)
            var moved: [Int] = []
            for day in 1...30 {
                world.clock.advance(.days(1))
                try await world.keepUp()
                if try await device.discovery.look().evaluated == 3 { moved.append(day) }
                #expect(device.found == ["Ada"])
            }
            #expect(moved.count == 1 && moved[0] <= 26)
            #expect(try world.keys.all().count == 1)
        }
    }

    @Test("a device whose key has ended starts again with the current key") func awayForLong() async throws {
        try await DiscoveryWorld.run { world in
            try await world.join("tel:+436641234567")
            let device = try await world.device(Self.people)
            try await device.discovery.look()
            _ = try world.keys.add()
            try await world.keepUp()
            world.clock.advance(.days(200))
            try await world.keepUp()
            #expect(try await device.discovery.look().evaluated == 3)
            #expect(device.found == ["Ada"])
        }
    }

    @Test("numbers and emails from any source can be looked up, in any notation") func handedIn()
        async throws
    {
        try await DiscoveryWorld.run { world in
            let dora = try await world.join("mailto:dora@example.com")
            let ada = try await world.join("tel:+436641234567")
            let device = try await world.device([])
            let found = try await device.discovery.look(for: [
                "0664/1234567", "112", "nobody@example.com", "Dora@Example.com",
            ])
            #expect(found.map(\.account) == [ada, dora])
            #expect(try await device.discovery.look().evaluated == 0)
            world.clock.advance(.days(2))
            try await device.discovery.look()
            #expect(try await device.discovery.status().identities == 0)
        }
    }

    @Test("Law 8: An account's matches are invisible to other accounts on the device") func scopes() async throws {
        try await DiscoveryWorld.run { world in
            try await world.join("tel:+436641234567")
            let device = try await world.device(Self.people)
            try await device.discovery.look()
            let first = try #require(try await device.client.session.account())
            var changes = device.discovery.changes().makeAsyncIterator()
            #expect(await changes.next()?.added.count == 1)

            try await device.client.session.open()
            #expect(await changes.next()?.removed.count == 1)
            #expect(try await device.discovery.matches().isEmpty)
            #expect(try await device.discovery.status().identities == 0)
            try await device.client.session.select(.account(first))
            #expect(await changes.next()?.added.count == 1)
            #expect(try await device.discovery.status().identities == 3)
        }
    }

    @Test("People that another device has blocked get no request") func blockedElsewhere() async throws {
        try await DiscoveryWorld.run { world in
            let ben = try await world.join([])
            let phone = try await world.device([("Ben", "+49 30 1234567")])
            try await phone.discovery.setConnectsAutomatically(true)
            try await phone.discovery.look()
            let token = try #require(try await phone.client.session.token())

            let tablet = try await world.device([], "tablet")
            _ = try await tablet.client.session.activate(token: token)
            try await tablet.client.syncNow()
            try await tablet.client.network.block(ben)
            try await tablet.client.syncNow()

            world.clock.advance(.days(2))
            try await world.join("tel:+49301234567", account: ben)
            try await phone.discovery.look()
            try await phone.client.syncNow()
            let asked = try await world.database.read { transaction in
                try transaction.query(
                    "SELECT fields FROM record WHERE feed = ? AND collection = 'contact'", [.id(ben)])
            }
            #expect(asked.isEmpty)
            let contact = try await phone.client.network.contacts(in: .everyone).first
            #expect(contact == nil || contact?.relation == NetworkContact.Relation.none)
        }
    }

    @Test("Trap: Whoever is found is connected with only by a look that ends well – a later one makes up for it")
    func connecting() async throws {
        try await DiscoveryWorld.run(evaluationsADay: 2) { world in
            let ada = try await world.join("tel:+436641234567")
            let cleo = try await world.join("mailto:cleo@example.com")
            let device = try await world.device(Self.people)
            try await device.discovery.setConnectsAutomatically(true)
            // The day is not enough for all; two of three are looked for.
            await #expect(throws: KithError.self) { try await device.discovery.look() }
            let network = device.client.network
            let found = Set(try await device.discovery.matches().map(\.account))
            #expect(!found.isEmpty)
            #expect(Set(try await network.sentRequests().map(\.id)) == found)
            world.clock.advance(.days(1))
            try await device.discovery.look()
            #expect(Set(try await network.sentRequests().map(\.id)) == [ada, cleo])
        }
    }

    @Test("Earlier matches also get a request; people who were removed or blocked do not")
    func connectingLater() async throws {
        try await DiscoveryWorld.run { world in
            let ada = try await world.join("tel:+436641234567")
            let ben = try await world.join("tel:+49301234567")
            let cleo = try await world.join("mailto:cleo@example.com")
            let device = try await world.device(Self.people)
            let network = device.client.network
            try await device.discovery.look()
            #expect(try await network.contacts(in: .everyone).isEmpty)
            try await network.block(ben)
            try await device.discovery.setConnectsAutomatically(true)
            try await device.discovery.look()
            #expect(Set(try await network.sentRequests().map(\.id)) == [ada, cleo])
            try await network.cancel(ada)
            try await device.discovery.look()
            #expect(try await network.sentRequests().map(\.id) == [cleo])
        }
    }

    @Test("A running client starts discovery after it is enabled, and again when the address book has a new person")
    func running()
        async throws
    {
        try await DiscoveryWorld.run { world in
            try await world.join("tel:+436641234567")
            try await world.join("mailto:dora@example.com")
            let device = try await world.device(Self.people)
            var changes = device.discovery.changes().makeAsyncIterator()
            #expect(await changes.next()?.isEmpty == true)
            let running = Task { await device.client.run() }
            try await device.discovery.setEnabled(true)
            #expect(await changes.next()?.added.map(\.identity.text) == ["tel:+436641234567"])
            try await device.setBook(Self.people + [("Dora", "dora@example.com")])
            #expect(await changes.next()?.added.map(\.identity.text) == ["mailto:dora@example.com"])
            running.cancel()
            await running.value
        }
    }

    @Test("A running client looks at its start for people who were added while it did not run") func addedBefore()
        async throws
    {
        try await DiscoveryWorld.run { world in
            try await world.join("mailto:dora@example.com")
            let device = try await world.device(Self.people)
            try await device.discovery.look()
            try await device.discovery.setEnabled(true)
            try await device.setBook(Self.people + [("Dora", "dora@example.com")])
            var changes = device.discovery.changes().makeAsyncIterator()
            #expect(await changes.next()?.isEmpty == true)
            let running = Task { await device.client.run() }
            #expect(await changes.next()?.added.map(\.identity.text) == ["mailto:dora@example.com"])
            running.cancel()
            await running.value
        }
    }
}
