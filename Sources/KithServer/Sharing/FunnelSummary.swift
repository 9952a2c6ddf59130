package import KithModel

/// The numbers of a funnel over some days, summed up for plots and tables.
package struct FunnelSummary: Hashable, Sendable {
    /// The days, counted from 1970.
    package let days: ClosedRange<Int64>
    /// The sums of each step; none for a step without a number.
    package private(set) var totals: [Funnel.Step: Int] = [:]
    /// The sums of each channel with a number.
    package private(set) var channels: [ShareChannel: [Funnel.Step: Int]] = [:]
    /// The numbers of each step by days, from the first.
    private var curves: [Funnel.Step: [Int]] = [:]

    /// Sums up the rows of these days, in one pass.
    package init(_ funnel: Funnel, days: ClosedRange<Int64>) {
        self.days = days
        for row in funnel.rows where days.contains(row.day) {
            totals[row.step, default: 0] += row.count
            let empty = Array(repeating: 0, count: days.count)
            curves[row.step, default: empty][Int(row.day - days.lowerBound)] += row.count
            channels[row.channel, default: [:]][row.step, default: 0] += row.count
        }
    }

    /// The channels with the largest numbers, sorted by their names, and the sums of the others; nil if there are no others.
    package func largestChannels(_ most: Int) -> (shown: [ShareChannel], others: [Funnel.Step: Int]?) {
        let names = channels.keys.sorted { $0.rawValue < $1.rawValue }
        guard names.count > most else { return (names, nil) }
        let sums = channels.mapValues { $0.values.reduce(0, +) }
        let shown = Set(names.sorted { sums[$0] ?? 0 > sums[$1] ?? 0 }.prefix(most))
        var others: [Funnel.Step: Int] = [:]
        for name in names where !shown.contains(name) { others.merge(channels[name] ?? [:], uniquingKeysWith: +) }
        return (names.filter { shown.contains($0) }, others)
    }

    /// How many days one column has, so that all fit into `most` columns.
    package func daysTogether(inColumns most: Int) -> Int { (days.count + most - 1) / most }

    /// The sums of a step, of so many days together, from the first.
    package func curve(_ step: Funnel.Step, together: Int) -> [Int] {
        let curve = curves[step] ?? []
        return (0..<(days.count + together - 1) / together).map { column in
            curve.dropFirst(column * together).prefix(together).reduce(0, +)
        }
    }
}
