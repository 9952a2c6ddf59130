import Foundation
import Kith
import KithDiscovery
import KithModel
import KithServer
import Testing

@Suite("Discovery, after the server was restored from a backup", .timeLimit(.minutes(15)))
struct RestoredServerTests {
    private static let people = [("Ada", "0664 1234567"), ("Ben", "+49 30 1234567")]

    @Test(
        "Trap: What was read before a restore is taken for what there is – a look before any round reads all again"
    )
    func restored() async throws {
        try await DiscoveryWorld.run { world in
            let device = try await world.device(Self.people)
            _ = try await device.client.session.open()
            try await world.keepUp()
            let backup = try world.database.copy()
            try await world.join("tel:+436641234567")
            #expect(try await device.discovery.look().matches.count == 1)
            #expect(device.found == ["Ada"])

            try await world.restored(backup) { restored in
                // Whoever joins gets the sequence that Ada had.
                let ben = try await restored.join("tel:+49301234567")
                device.line.leads(to: restored.server)
                let summary = try await device.discovery.look()
                #expect(summary.matches.map(\.account) == [ben])
                #expect(summary.added.count == 1 && summary.removed.count == 1 && summary.evaluated == 0)
                #expect(device.found == ["Ben"])
                _ = device.line.taken()
                try await device.discovery.look()
                #expect(device.line.taken() == ["/v1/discovery"])
            }
        }
    }

    @Test("a round that detects a restored server starts a new look") func due() async throws {
        try await DiscoveryWorld.run { world in
            let device = try await world.device(Self.people)
            try await device.client.syncNow()
            let backup = try world.database.copy()
            try await device.discovery.look()
            try await device.client.syncNow()
            #expect(try await !device.discovery.isDue())
            try await world.restored(backup) { restored in
                device.line.leads(to: restored.server)
                try await device.client.syncNow()
                #expect(try await device.discovery.isDue())
            }
        }
    }

    @Test(
        "Trap: A look that breaks off after a restore leaves buckets of before – it goes on with those that are not read"
    )
    func brokenOff() async throws {
        try await DiscoveryWorld.run { world in
            let people = (0..<12).map { ("Person \($0)", "+4366412345\(10 + $0)") }
            let device = try await world.device(people)
            _ = try await device.client.session.open()
            try await world.keepUp()
            try await world.crowd(2_600)
            let backup = try world.database.copy()
            try await world.join(people.map { "tel:\($0.1)" })
            #expect(try await device.discovery.look().matches.count == people.count)

            try await world.restored(backup) { restored in
                device.line.leads(to: restored.server)
                // One bucket is answered; then the line breaks.
                device.line.changes { answer in
                    var first = answer
                    first.buckets = Array(answer.buckets.prefix(1))
                    return first
                }
                device.line.breaks(after: 2)
                await #expect(throws: KithError.self) { try await device.discovery.look() }
                let found = try await device.discovery.matches().count
                #expect((1..<people.count).contains(found))
                device.line.mend()
                device.line.changes(nil)
                #expect(try await device.discovery.look().matches.isEmpty)
            }
        }
    }

    @Test(
        "the server detects a restore between description and buckets, and sends whole buckets"
    )
    func between() async throws {
        try await DiscoveryWorld.run { world in
            let device = try await world.device(Self.people)
            _ = try await device.client.session.open()
            try await world.keepUp()
            let backup = try world.database.copy()
            try await world.join("tel:+436641234567")
            try await device.discovery.look()
            try await world.join("mailto:cleo@example.com")
            try await world.restored(backup) { restored in
                try await restored.join("tel:+49301234567", "mailto:dora@example.com")
                // The description is that of the server as it was, the buckets are those of the one restored.
                device.line.leads(to: restored.server, after: 1)
                #expect(
                    try await device.discovery.look().matches.map(\.identity.shown) == ["+49301234567"])
            }
        }
    }
}
