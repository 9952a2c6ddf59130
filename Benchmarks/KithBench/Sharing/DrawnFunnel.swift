import Foundation
import KithModel
import KithServer

/// A funnel of many events, in three programmes and five channels over a year, and the friends that people have brought.
struct DrawnFunnel {
    private let database: SQLiteDatabase
    private let events: Int
    private let days: ClosedRange<Int64>

    /// Fills a funnel with `events` events. A thousand people have brought `friends` friends.
    init(events: Int, friends: Int) async throws {
        self.events = events
        database = try SQLiteDatabase.inMemory()
        let first: Int64 = 20_000
        days = first...first + 364
        let places = Int(days.upperBound - first + 1) * 3 * 5 * Funnel.Step.allCases.count
        let channels = ["link", "email", "message", "sheet", "scan"].compactMap { ShareChannel(rawValue: $0) }
        try await database.write { [days] transaction in
            var number = 0
            for day in days {
                let time = Timestamp(day: day)
                for programme in ["friends", "shop", "trees"] {
                    for channel in channels {
                        for step in Funnel.Step.allCases {
                            // Together exactly the number of events.
                            let amount = (number + 1) * events / places - number * events / places
                            number += 1
                            try Funnel.count(
                                step, times: amount, of: programme, by: channel, at: time, in: transaction)
                        }
                    }
                }
            }
            try Self.bring(friends, in: days, transaction)
        }
    }

    /// Lets people bring friends over these days, some many and most a few. Each friend earns them a reward.
    private static func bring(_ friends: Int, in days: ClosedRange<Int64>, _ transaction: any Transaction) throws {
        var random = SplitMix64(seed: 1)
        func id(at time: Timestamp) -> SQLValue { .id(RecordID<Never>(UUID.version7(time: time, using: &random))) }
        let day = Duration.days(1).milliseconds
        let start = Timestamp(day: days.lowerBound)
        let advocates = (0..<1_000).map { _ in id(at: start) }
        let (programme, count) = (SQLValue.text("friends"), UInt64(advocates.count))
        var (attributions, rewards): ([[SQLValue]], [[SQLValue]]) = ([], [])
        for number in 0..<friends {
            let passed = Int64(days.count) * day * Int64(number) / Int64(friends)
            let time = Timestamp(milliseconds: start.milliseconds + passed)
            let advocate = advocates[Int(min(random.next() % count, random.next() % count))]
            attributions.append([
                id(at: time), programme, advocate, id(at: time), .text("code"), .text("link"), .time(time), .time(time),
                .time(time), .flag(false), id(at: time),
            ])
            rewards.append([
                id(at: time), .text(Reward.Side.advocate.rawValue), advocate, programme, id(at: time), .time(time),
            ])
        }
        try transaction.insert(
            into: "attribution",
            [
                "account", "programme", "advocate", "source", "basis", "channel", "shared", "joined", "bound",
                "is_same_network", "record",
            ], attributions)
        try transaction.insert(
            into: "reward", ["referral", "side", "account", "programme", "record", "granted"], rewards)
    }

    /// Prints the time to read the funnel, to draw or write it, and to make the operator's page.
    func measure() async throws {
        let funnels = FunnelService(database: database)
        let funnel = try await funnels.funnel()
        let sum = funnel.rows.reduce(0) { $0 + $1.count }
        precondition(sum == events, "The funnel has all events.")
        let days = days
        let table = Table("the funnel of \(events) events in \(funnel.rows.count) rows", "median")
        try await row("read", table) { _ = try await funnels.funnel() }
        try await row("read, and drawn as the picture of the operator’s page", table) {
            let chart = FunnelChart(FunnelSummary(try await funnels.funnel(), days: days))
            precondition(chart.curves.count == Funnel.Step.allCases.count)
        }
        let (pages, renderer) = (OperatorPages(database: database), try PageRenderer(service: "Kith"))
        // The name is constant and valid.
        let frame = OperatorFrame(OperatorName("ada")!, token: "token")
        try await row("the whole page /admin in HTML (wanted: 200 ms at the most)", table) {
            let page = try await pages.page(FunnelFilter(days: days), frame)
            precondition(!renderer.render(page, in: .english).isEmpty, "The page is rendered.")
        }
        try await row("read, and written as CSV", table) { _ = try await funnels.funnel().csv.utf8.count }
    }

    private func row(_ what: String, _ table: Table, _ body: () async throws -> Void) async throws {
        var times: [Duration] = []
        for _ in 0..<11 {
            let start = ContinuousClock.now
            try await body()
            times.append(start.duration(to: .now))
        }
        table.row(what, String(format: "%.1f ms", times.sorted()[5] / .milliseconds(1)))
    }
}
