import Foundation
import Kith
import KithModel
import Processes
import Testing

/// `SIGKILL` at moments that a seed picks. `KITH_KILLS` says how often (5), `KITH_SEED` how (1).
///
/// Processes run at their own pace, so a seed picks who is killed and when, but
/// not what it was doing then: a failure is looked for again with more kills.
@Suite("Killed processes", .serialized) struct KillTests {
    static let environment = ProcessInfo.processInfo.environment
    static let kills = environment["KITH_KILLS"].flatMap { Int($0) } ?? 5
    static let seed = environment["KITH_SEED"].flatMap { UInt64($0) } ?? 1

    enum Victim: String, CaseIterable {
        case server, writer, both
    }

    @Test("Each acknowledged edit is on the server exactly once, whichever process was killed, and whenever")
    func everythingOnce() async throws {
        let replay = "KITH_SEED=\(Self.seed) KITH_KILLS=\(Self.kills) ./test ProcessTests"
        print("Kills: \(replay)")
        try await World.run { world in try await kill(in: world, replay) }
    }

    private func kill(in world: World, _ replay: String) async throws {
        var random = SplitMix64(seed: Self.seed)
        let writers = [try await world.startWriter("ada"), try await world.startWriter("grace")]
        for writer in writers { try await writer.acknowledges(1) }

        for kill in 1...Self.kills {
            let victim = Victim.allCases.randomElement(using: &random) ?? .both
            let writer = writers[Int.random(in: 0...1, using: &random)]
            try await writer.acknowledges(Int.random(in: 1...30, using: &random))
            // Not instead of a condition: this is the random moment.
            let moment = Int.random(in: 0...40_000, using: &random)
            try await Task.sleep(for: .microseconds(moment))
            let heard = writer.heard
            print("  \(kill): \(victim) (\(writer.name) at \(heard.edited), acknowledged \(heard.acknowledged))")
            if victim != .writer { await world.server.kill() }
            if victim != .server { await writer.kill() }
            if victim != .writer { try await world.server.start() }
            if victim != .server { try await writer.start() }
        }
        for writer in writers { try await writer.acknowledges(1) }
        for writer in writers { await writer.kill() }

        let lists = try await settle(world, writers)
        var total = 0
        for writer in writers {
            let heard = writer.heard
            let numbers = Self.numbers(of: writer, in: lists.server)
            #expect(heard.wrong.isEmpty, "\(replay)")
            #expect(numbers == Array(1...max(1, numbers.count)), "None is missing, none is double. \(replay)")
            #expect(numbers.count >= heard.edited && heard.edited >= heard.acknowledged, "\(replay)")
            total += numbers.count
        }
        let sums = lists.server.filter { $0.title.hasPrefix("Sum ") }.map { $0.count - 1 }
        #expect(sums.reduce(0, +) == total, "Each addition counts once. \(replay)")
        #expect(lists.server.count == total + World.sums, "\(replay)")
        for items in lists.devices { #expect(items == lists.server, "Every device is equal to the server. \(replay)") }
        print("  \(total) edits by \(writers.count) writers, \(Self.kills) kills")
    }

    /// Lets every device send what it still had when its process was killed, and then read everything.
    private func settle(_ world: World, _ writers: [Writer]) async throws -> (
        server: [ListItem], devices: [[ListItem]]
    ) {
        let clients = try writers.map { try $0.client(server: world.server.url) }
        for _ in 1...2 {
            for client in clients + [world.owner] {
                try await Limit("The device has sent and read everything").wait { try await client.caughtUp() }
            }
        }
        var devices: [[ListItem]] = []
        for client in clients + [world.owner] {
            #expect(try await client.status().waiting == 0)
            #expect(try await client.rejections().isEmpty)
            devices.append(try await client.lists.items(in: world.list))
        }
        return (try await world.serverItems(), devices)
    }

    static func numbers(of writer: Writer, in items: [ListItem]) -> [Int] {
        items.map(\.title).filter { $0.hasPrefix(writer.name + " ") }
            .compactMap { Int($0.dropFirst(writer.name.count + 1)) }.sorted()
    }
}
