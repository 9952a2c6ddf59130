/// The curves of a funnel over time as a picture in SVG: the paths, and the texts at the axes.
///
/// All curves have one scale, so that they can be compared. Colours and widths are classes of the stylesheet.
package struct FunnelChart: Hashable, Sendable {
    /// The curve of a step.
    package struct Curve: Hashable, Sendable {
        package let step: Funnel.Step
        /// The data of the path along the curve.
        package let line: String
        /// The data of the path around the area below it.
        package let area: String
        /// The sums, one for each point.
        package let numbers: [Int]
    }

    /// A line across the plot, and its number.
    package struct Tick: Hashable, Sendable {
        /// The distance from the top.
        package let height: String
        package let number: Int
    }

    /// A date below the plot.
    package struct Mark: Hashable, Sendable {
        /// The distance from the left.
        package let place: String
        /// Which part of the text is there: `start`, `middle` or `end`.
        package let anchor: String
        package let date: String
    }

    /// The width of the picture.
    package static let width = 720
    /// The height of the picture.
    package static let height = 280
    /// The left end of the plot.
    package static let left = 56
    /// The right end of the plot.
    package static let right = 704
    /// The upper end of the plot.
    package static let top = 16
    /// The lower end of the plot.
    package static let bottom = 244
    /// The most points of a curve. With more days, each point stands for several.
    private static let points = 120

    /// A curve for each step.
    package let curves: [Curve]
    /// The lines across, from zero upwards.
    package let ticks: [Tick]
    /// The dates of the first, the middle and the last point.
    package let marks: [Mark]
    /// The first day of each point, counted from 1970.
    package let days: [Int64]
    /// How many days a point stands for. The last point may have fewer.
    package let together: Int

    /// The picture of a funnel.
    package init(_ summary: FunnelSummary) {
        let together = summary.daysTogether(inColumns: Self.points)
        let sums = Funnel.Step.allCases.map { ($0, summary.curve($0, together: together)) }
        let step = Self.tickStep(upTo: sums.flatMap { $0.1 }.max() ?? 0)
        let most = Self.ticks(upTo: sums.flatMap { $0.1 }.max() ?? 0, step: step) * step
        let count = sums.first?.1.count ?? 0
        func x(_ index: Int) -> Double {
            let width = Double(Self.right - Self.left)
            // A single point is in the middle.
            return Double(Self.left) + (count > 1 ? width * Double(index) / Double(count - 1) : width / 2)
        }
        func y(_ number: Int) -> Double {
            Double(Self.bottom) - Double(Self.bottom - Self.top) * Double(number) / Double(most)
        }
        curves = sums.map { funnelStep, numbers in
            var places = numbers.enumerated().map { (x($0.offset), y($0.element)) }
            // A single point becomes a short line.
            if let only = places.first, places.count == 1 {
                places = [(only.0 - 8, only.1), (only.0 + 8, only.1)]
            }
            let line = places.map { "\(Self.text($0.0)) \(Self.text($0.1))" }.joined(separator: "L")
            let ends = [places.last, places.first].compactMap { $0 }.map { "L\(Self.text($0.0)) \(Self.bottom)" }
            return Curve(
                step: funnelStep, line: "M\(line)", area: "M\(line)\(ends.joined())Z", numbers: numbers)
        }
        ticks = (0...most / step).map { Tick(height: Self.text(y($0 * step)), number: $0 * step) }
        let first = summary.days.lowerBound
        days = (0..<count).map { first + Int64($0 * together) }
        self.together = together
        let shown = count > 2 ? [0, (count - 1) / 2, count - 1] : Array(0..<count)
        marks = shown.map { index in
            let anchor = count == 1 ? "middle" : index == 0 ? "start" : index == count - 1 ? "end" : "middle"
            return Mark(
                place: Self.text(x(index)), anchor: anchor, date: Funnel.date(ofDay: first + Int64(index * together)))
        }
    }

    /// The distance of two lines: 1, 2 or 5 times a power of ten, so that there are at most five above zero.
    private static func tickStep(upTo most: Int) -> Int {
        var power = 1
        while true {
            for step in [power, 2 * power, 5 * power] where step * 5 >= most { return step }
            power *= 10
        }
    }

    /// The number of lines above zero: at least one.
    private static func ticks(upTo most: Int, step: Int) -> Int { max(1, (most + step - 1) / step) }

    /// A distance, to a tenth.
    private static func text(_ distance: Double) -> String {
        let tenths = Int((distance * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
