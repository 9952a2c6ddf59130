import Foundation
import KithModel
package import KithServer

/// A funnel as a plot in a terminal: a bar for each step, a curve over the days, and a table of the channels.
package struct FunnelPlot: Sendable {
    private let summary: FunnelSummary
    private let width: Int

    /// A plot of these days, which are counted from 1970, in lines of at most `width` columns.
    package init(_ funnel: Funnel, days: ClosedRange<Int64>, width: Int) {
        summary = FunnelSummary(funnel, days: days)
        self.width = max(width, Self.narrowest)
    }

    private var days: ClosedRange<Int64> { summary.days }
    private var totals: [Funnel.Step: Int] { summary.totals }

    /// The narrowest plot that can be read.
    private static let narrowest = 44
    /// The width of the names of the steps, with a space behind them.
    private static let margin = 10
    /// The room behind a curve or a bar.
    private static let ending = 24
    /// The least width of the longest bar.
    private static let shortest = 5
    /// The greatest width of the longest bar.
    private static let longest = 50

    /// The plot.
    package func lines(colour: Bool) -> [String] {
        let title = "\(Funnel.date(ofDay: days.lowerBound)) to \(Funnel.date(ofDay: days.upperBound)) (UTC)"
        if totals.isEmpty { return ["Nobody has shared, visited or joined from \(title)."] }
        return [TextStyle.strong.applied(to: title, colour: colour), ""] + bars(colour) + [""] + curveLines(colour)
            + [""] + table.lines(colour: colour)
    }

    private func name(_ step: Funnel.Step) -> String {
        step.rawValue.padding(toLength: Self.margin, withPad: " ", startingAt: 0)
    }

    // MARK: Bars

    /// A bar for each step, and its part of the step before.
    private func bars(_ colour: Bool) -> [String] {
        let most = totals.values.max() ?? 1
        let digits = String(most).count
        let room = max(Self.shortest, min(Self.longest, width - Self.margin - digits - 2 - Self.ending))
        var before: Funnel.Step?
        return Funnel.Step.allCases.map { step in
            let count = totals[step] ?? 0
            let number = String(repeating: " ", count: digits - String(count).count) + String(count)
            let bar = Self.bar(count, of: most, room)
            var line = name(step) + number + "  " + TextStyle.good.applied(to: bar, colour: colour)
            if let last = before, let all = totals[last], all > 0 {
                let percent = Int((100 * Double(count) / Double(all)).rounded())
                line += (bar.isEmpty ? "" : "  ") + "\(percent) % of \(last.rawValue)"
            }
            before = step
            return line
        }
    }

    private static let eighths = Array("▏▎▍▌▋▊▉█")

    /// A bar of eighths of columns. A number that is not zero is at least one eighth.
    private static func bar(_ count: Int, of most: Int, _ room: Int) -> String {
        guard count > 0 else { return "" }
        let parts = max(1, Int((Double(count) / Double(most) * Double(8 * room)).rounded()))
        let rest = parts % 8
        return String(repeating: "█", count: parts / 8) + (rest > 0 ? String(eighths[rest - 1]) : "")
    }

    // MARK: Curves

    /// A curve for each step, each to its own scale, and the axis of the days below them.
    private func curveLines(_ colour: Bool) -> [String] {
        let room = width - Self.margin - Self.ending
        let together = summary.daysTogether(inColumns: room)
        let columns = (days.count + together - 1) / together
        let unit = together == 1 ? "a day" : "in \(together) days"
        let lines = Funnel.Step.allCases.map { step -> String in
            let sums = summary.curve(step, together: together)
            let most = sums.max() ?? 0
            let drawn = String(sums.map { Self.point($0, of: most) })
            return name(step) + TextStyle.good.applied(to: drawn, colour: colour)
                + (most > 0 ? "  at most \(most) \(unit)" : "")
        }
        return lines + [TextStyle.faint.applied(to: axis(columns), colour: colour)]
    }

    private static let heights = Array("▁▂▃▄▅▆▇█")

    /// A column of a curve; a dot for zero.
    private static func point(_ count: Int, of most: Int) -> Character {
        guard count > 0, most > 0 else { return "·" }
        return heights[min(7, Int(Double(count) / Double(most) * 8))]
    }

    /// The first day, and the last one if both fit below the curves.
    private func axis(_ columns: Int) -> String {
        let first = String(Funnel.date(ofDay: days.lowerBound).dropFirst(5))
        let last = String(Funnel.date(ofDay: days.upperBound).dropFirst(5))
        let gap = columns - first.count - last.count
        let margin = String(repeating: " ", count: Self.margin)
        return margin + (gap > 0 ? first + String(repeating: " ", count: gap) + last : first)
    }

    // MARK: Channels

    private var table: Table {
        var table = Table(header: ["Channel"] + Funnel.Step.allCases.map(\.rawValue.capitalized))
        for (channel, counts) in summary.channels.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            table.add([Table.Cell(channel.rawValue)] + Funnel.Step.allCases.map { Table.Cell.number(counts[$0] ?? 0) })
        }
        return table
    }
}
