import BenchReport
import Foundation
import Kith
import KithModel

/// Switching between two accounts of a device, one of them with many records.
struct AccountSwitch {
    private let records: Int
    private let large: LocalServer
    private let small: LocalServer
    private let client: KithClient

    static func measure(_ run: Run) async throws {
        let records = run.size(100_000, smoke: 2_000)
        let (large, small) = (try LocalServer(), try LocalServer())
        try await large.store(items: records)
        try await small.store(items: 10)
        var configuration = KithConfiguration(storage: .directory(run.folder))
        for server in [large, small] {
            let client = try KithClient(configuration)
            try server.join(client.replica)
            try await server.sync(client.replica)
            try client.credentials.save("of no use without a network", for: server.account)
        }
        for postsNotifications in [false, true] {
            configuration.postsNotifications = postsNotifications
            let device = AccountSwitch(
                records: records, large: large, small: small, client: try KithClient(configuration))
            let times = try await device.measure(run.size(20, smoke: 2))
            let variant = postsNotifications ? ", with notifications" : ""
            let wanted: Goal? = postsNotifications ? nil : .atMost(.milliseconds(20))
            run.line(
                "switch to an account of \(records.grouped) records\(variant), p50", .time(times.to.p50), wanted: wanted
            )
            run.line(
                "switch from it to a small account\(variant), p50", .time(times.from.p50), wanted: wanted)
        }
    }

    private func measure(_ runs: Int) async throws -> (to: Samples, from: Samples) {
        var (to, from) = (Samples(), Samples())
        if try await client.session.account() != large.account {
            try await client.session.select(.account(large.account))
        }
        for _ in 0..<runs {
            try await select(small, into: &from)
            try await select(large, into: &to)
        }
        try Mismatch.unless(client.replica.content().items.count == records, "Records are missing after the switches.")
        return (to, from)
    }

    /// Switches, and checks that the next round reads nothing.
    private func select(_ server: LocalServer, into times: inout Samples) async throws {
        let start = ContinuousClock.now
        try await client.session.select(.account(server.account))
        times.append(.now - start)
        let rounds = Rounds(replica: client.replica)
        guard let request = try rounds.begin() else { throw Mismatch(description: "The account has no session.") }
        let answer = try await SyncAnswer(json: server.answer(request))
        try Mismatch.unless(request.account == server.account, "Another account is the current one.")
        let isNothing = answer.feeds.isEmpty && answer.records.isEmpty && !answer.more
        try Mismatch.unless(request.token != nil && isNothing, "The switch has made the device read records again.")
        try Mismatch.unless(rounds.finish(request, answer) == .done, "More is left to read after the switch.")
    }
}
