import Foundation
import KithModel
import KithServer

/// A funnel of many events, in three programmes and five channels over a year.
struct DrawnFunnel {
    private let database: SQLiteDatabase
    private let events: Int
    private let days: ClosedRange<Int64>

    /// Fills a funnel with `events` events.
    init(events: Int) async throws {
        self.events = events
        database = try SQLiteDatabase.inMemory()
        let first: Int64 = 20_000
        days = first...first + 364
        let places = Int(days.upperBound - first + 1) * 3 * 5 * Funnel.Step.allCases.count
        let channels = ["link", "email", "message", "sheet", "scan"].compactMap { ShareChannel(rawValue: $0) }
        try await database.write { [days] transaction in
            var number = 0
            for day in days {
                let time = Timestamp(milliseconds: day * Duration.days(1).milliseconds)
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
        }
    }

    /// Prints the time to read the funnel, and to draw or write it.
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
