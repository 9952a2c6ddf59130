package import Foundation

/// The lines of one run on one machine.
package struct Report: Codable, Hashable, Sendable {
    package let date: Date
    package let machine: Machine
    /// Whether the rows ran small, so that the figures say nothing.
    package let isSmoke: Bool
    package var lines: [Line] = []

    package init(date: Date, machine: Machine, isSmoke: Bool) {
        self.date = date
        self.machine = machine
        self.isSmoke = isSmoke
    }

    /// Such as `21 of 27 goals are met`.
    package var summary: String {
        let judged = lines.compactMap(\.isMet)
        return "\(judged.filter(\.self).count) of \(judged.count) goals are met"
    }

    // MARK: Text

    private static let widths = [74, 12, 34, 7, 13, 6]

    /// The first two lines of the table in a terminal.
    package static var textHeader: String {
        [textRow(Line.header), textRow(Line.header.map { _ in "----" })].joined(separator: "\n")
    }

    /// A line of the table in a terminal.
    package static func text(_ line: Line) -> String {
        textRow(line.cells.map { $0.replacing("**", with: "") })
    }

    private static func textRow(_ cells: [String]) -> String {
        zip(cells, widths).map { cell, width in cell + String(repeating: " ", count: max(0, width - cell.count)) }
            .joined(separator: "  ").trimmingCharacters(in: .whitespaces)
    }

    // MARK: JSON and Markdown

    /// Names, amounts in seconds, bytes or per second, ratios, and whether each goal is met.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(Answer(report: self))
    }

    /// The table as Markdown, with the machine and the day.
    package var markdown: String {
        let day = date.formatted(.iso8601.year().month().day())
        let rows = [Line.header, Line.header.map { _ in "---" }] + lines.map(\.cells)
        return """
            \(day), \(machine). \(summary).

            \(rows.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n"))

            """
    }

    // MARK: Picture

    /// A picture of all lines with a goal: each bar begins at the goal, and leads to the right if it is exceeded.
    ///
    /// The scale is logarithmic, from a sixteenth of the goal to sixteen times the goal. Each bar is named and has its figures
    /// as text, so that nothing depends on colours.
    package var svg: String {
        let judged = lines.filter { $0.score != nil }
        let height = 70 + judged.count * 22
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1180 \(height)" role="img" font-family="sans-serif" \
            font-size="13">
            <title>How far each goal is exceeded or missed: \(summary)</title>
            <rect width="1180" height="\(height)" fill="white"/>
            """
        ]
        for power in [-4, -2, 0, 2, 4] { parts.append(Plot.scaleLine(power, bottom: height - 22)) }
        for (index, line) in judged.enumerated() {
            parts.append(Plot.bar(line, top: 42 + index * 22))
        }
        return (parts + ["</svg>", ""]).joined(separator: "\n")
    }
}

/// A report with what can be calculated from it, for programs that read it.
private struct Answer: Encodable {
    struct Row: Encodable {
        let row, what: String
        let kith: Double
        let unit: Amount.Unit
        let reference: String?
        let referenceAmount: Double?
        let ratio: Double?
        let wanted: String?
        let met: Bool?
    }

    let date: Date
    let machine: Machine
    let isSmoke: Bool
    let rows: [Row]

    init(report: Report) {
        (date, machine, isSmoke) = (report.date, report.machine, report.isSmoke)
        rows = report.lines.map { line in
            Row(
                row: line.row, what: line.what, kith: line.kith.value, unit: line.kith.unit,
                reference: line.reference?.name, referenceAmount: line.reference?.amount.value, ratio: line.ratio,
                wanted: line.goal?.description, met: line.isMet)
        }
    }
}

private enum Plot {
    /// The horizontal place of a score.
    static func place(of score: Double) -> Int {
        let power = min(max(log2(score), -4), 4)
        return 800 + Int((power * 65).rounded())
    }

    /// A vertical line at the power of two, with its name above.
    static func scaleLine(_ power: Int, bottom: Int) -> String {
        let place = place(of: pow(2, Double(power)))
        let name = power < 0 ? "1/\(1 << -power) of the goal" : power == 0 ? "the goal" : "\(1 << power) times"
        return """
            <line x1="\(place)" x2="\(place)" y1="34" y2="\(bottom)" stroke="\(power == 0 ? "black" : "lightgrey")"/>
            <text x="\(place)" y="24" text-anchor="middle">\(name)</text>
            """
    }

    static func bar(_ line: Line, top: Int) -> String {
        let score = line.score ?? 1
        let (start, end) = (place(of: 1), place(of: score))
        let (fill, figures) = (
            score >= 1 ? "seagreen" : "firebrick", "\(line.kith), wanted \(line.goal?.description ?? "")"
        )
        return """
            <text x="500" y="\(top + 13)" text-anchor="end">\(escaped(line.what))</text>
            <rect x="\(min(start, end))" y="\(top + 2)" width="\(max(2, abs(end - start)))" height="14" fill="\(fill)">\
            <title>\(escaped("\(line.what): \(figures)"))</title></rect>
            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
