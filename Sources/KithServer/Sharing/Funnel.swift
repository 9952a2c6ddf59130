import Foundation
package import KithModel

/// How many people get how far: from a share to a visit of its page, a sign-up and a reward, by day and channel.
package struct Funnel: Hashable, Sendable {
    /// A step on the way.
    package enum Step: String, CaseIterable, Hashable, Sendable, Comparable {
        /// Somebody has shared.
        case shared
        /// Somebody has opened the page of a link.
        case visited
        /// Somebody has signed up, and it is known who has brought them.
        case joined
        /// The rewards for a friend were granted.
        case rewarded

        /// Compares by the order on the way.
        package static func < (left: Self, right: Self) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    /// A number: a row of the table `funnel`.
    package struct Row: Hashable, Sendable {
        package let programme: String
        /// The day (UTC), counted from 1970.
        package let day: Int64
        package let channel: ShareChannel
        package let step: Step
        package let count: Int

        package init(programme: String, day: Int64, channel: ShareChannel, step: Step, count: Int) {
            (self.programme, self.day, self.channel) = (programme, day, channel)
            (self.step, self.count) = (step, count)
        }
    }

    /// The numbers, sorted by programme, day, channel and step.
    package let rows: [Row]

    package init(rows: [Row]) {
        self.rows = rows.sorted {
            ($0.programme, $0.day, $0.channel.rawValue, $0.step) < ($1.programme, $1.day, $1.channel.rawValue, $1.step)
        }
    }

    /// The days with numbers, sorted.
    package var days: [Int64] { Set(rows.map(\.day)).sorted() }

    /// The channels with numbers, sorted by their names.
    package var channels: [ShareChannel] { Set(rows.map(\.channel)).sorted { $0.rawValue < $1.rawValue } }

    /// The sum of a step, of one day or all, of one channel or all.
    package func total(_ step: Step, day: Int64? = nil, channel: ShareChannel? = nil) -> Int {
        rows.reduce(0) { sum, row in
            let isCounted =
                row.step == step && (day == nil || day == row.day) && (channel == nil || channel == row.channel)
            return sum + (isCounted ? row.count : 0)
        }
    }

    /// The numbers as a table (RFC 4180): a line for each programme, day and channel. No value needs quotes.
    package var csv: String {
        struct Line: Hashable { let programme: String, day: Int64, channel: ShareChannel }
        var counts: [Line: [Step: Int]] = [:]
        var order: [Line] = []
        for row in rows {
            let line = Line(programme: row.programme, day: row.day, channel: row.channel)
            if counts[line] == nil { order.append(line) }
            counts[line, default: [:]][row.step, default: 0] += row.count
        }
        let head = (["programme", "day", "channel"] + Step.allCases.map(\.rawValue)).joined(separator: ",")
        let lines = order.map { line in
            ([line.programme, Self.date(ofDay: line.day), line.channel.rawValue]
                + Step.allCases.map { String(counts[line]?[$0] ?? 0) }).joined(separator: ",")
        }
        return ([head] + lines).map { $0 + "\r\n" }.joined()
    }

    /// A day as a date: `2027-01-15`.
    package static func date(ofDay day: Int64) -> String {
        Timestamp(day: day).date.formatted(.iso8601.year().month().day())
    }
}

extension Funnel {
    /// Counts a step, in the caller's transaction.
    package static func count(
        _ step: Step, times amount: Int = 1, of programme: String, by channel: ShareChannel, at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO funnel (programme, day, channel, step, amount) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (programme, day, channel, step) DO UPDATE SET amount = funnel.amount + excluded.amount
            """,
            [
                .text(programme), .integer(now.day), .text(channel.rawValue), .text(step.rawValue),
                .integer(Int64(amount)),
            ])
    }
}
