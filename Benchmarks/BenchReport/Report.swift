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
