import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel
import Testing

@Suite("Discovery, by two processes of one device", .timeLimit(.minutes(15))) struct SharedLookupTests {
    @Test("Trap: What another process found is overlooked – a look that keeps in memory what is known reads it")
    func elsewhere() async throws {
        try await DiscoveryWorld.run { world in
            let people = [("Ada", "0664 1234567"), ("Ben", "+49 30 1234567")]
            let first = try await client(of: world)
            let seeking = Seeking(
                client: first, line: Line(SystemTransport(patient: world.server)), book: world.folder.file("it.vcf"))
            try seeking.write(people)
            try await first.addressBook.addSource(.vCardFile(seeking.book))
            #expect(try await first.discovery.look().matches.isEmpty)

            let ada = try await world.join("tel:+436641234567")
            let other = try await client(of: world)
            #expect(try await other.discovery.look().matches.map(\.account) == [ada])
            #expect(try await first.discovery.look().matches.map(\.account) == [ada])
            #expect(seeking.found == ["Ada"])
        }
    }

    @Test("Trap: The address book's first answer knows nobody – it names everybody who was found before")
    func first() async throws {
        try await DiscoveryWorld.run { world in
            let finder = try await client(of: world)
            let seeking = Seeking(
                client: finder, line: Line(SystemTransport(patient: world.server)), book: world.folder.file("it.vcf"))
            try seeking.write([("Ada", "0664 1234567")])
            try await finder.addressBook.addSource(.vCardFile(seeking.book))
            let ada = try await world.join("tel:+436641234567")
            #expect(try await finder.discovery.look().matches.map(\.account) == [ada])
            // A new client reads the contacts and the matches from two files. Thirty tries show both orders.
            for _ in 0..<30 {
                let client = try await client(of: world)
                #expect(try await client.addressBook.loaded().map(\.accounts) == [[ada]])
            }
        }
    }

    @Test("Trap: Two looks overlap, and one does not know the other's lookups – who joins meanwhile is found")
    func overlapping() async throws {
        try await DiscoveryWorld.run { world in
            let line = Line(SystemTransport(patient: world.server))
            let first = try await client(of: world, over: line)
            let seeking = Seeking(client: first, line: line, book: world.folder.file("it.vcf"))
            try seeking.write([("Ada", "0664 1234567")])
            try await first.addressBook.addSource(.vCardFile(seeking.book))

            let other = try await client(of: world)
            line.before("/v1/discovery/buckets") {
                #expect(try await other.discovery.look(for: ["+49 30 1234567"]).isEmpty)
                try await world.join("tel:+49301234567")
            }
            #expect(try await first.discovery.look().matches.isEmpty)
            #expect(try await other.discovery.look(for: ["+49 30 1234567"]).count == 1)
        }
    }

    @Test("Trap: A source that another process has added is unknown – its people stay known, at no cost")
    func addedSource() async throws {
        try await DiscoveryWorld.run { world in
            let (first, other) = (try await client(of: world), try await client(of: world))
            try await add(("Ada", "0664 1234567"), to: first, in: world)
            #expect(try await first.discovery.look().identities == 1)

            let ben = try await world.join("tel:+49301234567")
            try await add(("Ben", "+49 30 1234567"), to: other, in: world)
            #expect(try await other.discovery.look().matches.map(\.account) == [ben])
            let look = try await first.discovery.look()
            #expect(look.matches.map(\.account) == [ben] && look.evaluated == 0)
            #expect(try await other.discovery.look().evaluated == 0)
        }
    }

    @Test("Trap: A source that another process has removed is still used – nobody is found who is only there")
    func removedSource() async throws {
        try await DiscoveryWorld.run { world in
            let (first, other) = (try await client(of: world), try await client(of: world))
            try await add(("Ada", "0664 1234567"), to: first, in: world)
            let ben = try await add(("Ben", "+49 30 1234567"), to: first, in: world)
            #expect(try await first.discovery.look().identities == 2)

            _ = try await other.addressBook.loaded()
            #expect(try await other.discovery.look().identities == 2)
            try await first.addressBook.removeSource(ben)
            try await world.join("tel:+49301234567")
            let look = try await other.discovery.look(connecting: true)
            #expect(look.matches.isEmpty && look.identities == 1)
            #expect(other.addressBook.contacts?.map(\.displayName) == ["Ada"])
        }
    }

    @Test("Trap: A region that another process has set is not used – numbers are looked for as they are dialled there")
    func newRegion() async throws {
        try await DiscoveryWorld.run { world in
            let (first, other) = (try await client(of: world), try await client(of: world))
            try await add(("Ben", "030 1234567"), to: first, in: world)
            let ben = try await world.join("tel:+49301234567")
            #expect(try await first.discovery.look().matches.isEmpty)
            try await other.addressBook.setRegion(Region("DE"))
            #expect(try await first.discovery.look().matches.map(\.account) == [ben])
        }
    }

    /// Adds a file with one person, who has a number, to the address book of a client.
    @discardableResult
    private func add(
        _ person: (name: String, number: String), to client: KithClient, in world: DiscoveryWorld
    ) async throws -> SourceID {
        let file = world.folder.file("\(person.name).vcf")
        try Data(Seeking.vCards([(person.name, person.number)]).utf8).write(to: file)
        return try await client.addressBook.addSource(.vCardFile(file))
    }

    private func client(of world: DiscoveryWorld, over transport: (any Transport)? = nil) async throws -> KithClient {
        var configuration = KithConfiguration(storage: .directory(world.folder.file("device")))
        configuration.transport = transport ?? SystemTransport(patient: world.server)
        configuration.region = Region("AT")
        configuration.postsNotifications = false
        let clock = world.clock
        configuration.dependencies = Dependencies(now: { clock.now }, random: RandomSource(SplitMix64(seed: 4)))
        return try KithClient(configuration)
    }
}
