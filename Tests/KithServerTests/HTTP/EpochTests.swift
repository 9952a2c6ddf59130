import Foundation
import KithModel
import KithServer
import Testing

@Suite("A server over a file", .timeLimit(.minutes(15)))
struct EpochTests {
    private let folder = Folder()
    private var configuration = ServerConfiguration()

    init() throws {
        configuration.port = 0
        configuration.database = folder.database
    }

    /// The epoch that a device is told.
    private func epoch(newEpoch: Bool = false) async throws -> String {
        var configuration = configuration
        configuration.newEpoch = newEpoch
        return try await KithServer.open(configuration).serving { url in
            let server = TestServer(url: url)
            var device = TestDevice(try await server.newSession())
            return try await device.sync(with: server).epoch
        }
    }

    @Test("Its epoch stays from start to start, and a start with a new epoch changes it") func newEpoch() async throws {
        let first = try await epoch()
        #expect(try await epoch() == first)
        let second = try await epoch(newEpoch: true)
        #expect(second != first && !second.isEmpty)
        #expect(try await epoch() == second)
    }

    @Test("It renews its incarnation each hour, so that a backup of the same run is recognised as older")
    func incarnation() async throws {
        #expect(configuration.housekeeping == .seconds(3600))
        let (hours, hour) = AsyncStream<Void>.makeStream()
        let (waits, waiting) = AsyncStream<Void>.makeStream()
        let clock = ServerClock(
            time: { HandClock.start }, uptime: { .zero },
            sleep: { duration in
                guard duration == .seconds(3600) else { return try await Task.sleep(for: duration) }
                waiting.yield()
                for await _ in hours { return }
            })
        func incarnation() throws -> String {
            try String(contentsOf: URL(filePath: folder.database + ".incarnation"), encoding: .utf8)
        }
        var seen = try await KithServer.open(configuration, clock: clock).serving { _ in
            var seen: [String] = []
            var wait = waits.makeAsyncIterator()
            for _ in 0..<3 {
                await wait.next()
                seen.append(try incarnation())
                hour.yield()
            }
            return seen
        }
        seen.append(try incarnation())
        #expect(Set(seen.prefix(3)).count == 3)
        #expect(seen.allSatisfy { $0.split(separator: "\n").count == 1 })
    }
}
