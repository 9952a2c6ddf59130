import Foundation

/// Prints the story line by line: the time, the device or person, and what happened. A line is printed only after it
/// has happened.
struct Narrator: Sendable {
    private let start = ContinuousClock.now
    private let hasColour: Bool

    init() {
        let environment = ProcessInfo.processInfo.environment
        hasColour = isatty(1) == 1 && environment["TERM"] != "dumb" && (environment["NO_COLOR"] ?? "").isEmpty
    }

    func act(_ title: String) throws { try write("\n\(strong(title.uppercased()))") }

    func chapter(_ title: String) throws { try write("\n\(strong(title))") }

    /// A line without a time and a device.
    func note(_ line: String) throws { try write("\n\(line)") }

    /// `say("phone", "syncs")`
    func callAsFunction(_ who: String, _ what: String) throws {
        let time = String(format: "%7.2f s", (ContinuousClock.now - start) / .seconds(1))
        try write("\(faint(time))  \(strong(padded(who, 6)))  \(printable(what))")
    }

    /// Rows below a header. Each column is as wide as its widest cell.
    func table(_ heading: [String], _ rows: [[String]]) throws {
        let rows = rows.map { $0.map(printable) }
        let widths = heading.indices.map { column in ([heading] + rows).map { $0[column].count }.max() ?? 0 }
        for (number, row) in ([heading] + rows).enumerated() {
            let cells = zip(row, widths).dropLast().map(padded) + row.suffix(1)
            let line = cells.joined(separator: "  ")
            try write(String(repeating: " ", count: 14) + (number == 0 ? strong(line) : line))
        }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// The text without control characters, which could control the terminal: titles and names come from other people.
    private func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }

    private func strong(_ text: String) -> String { hasColour ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
    private func faint(_ text: String) -> String { hasColour ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

    private func write(_ line: String) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
        } catch {
            throw StoryError("The output cannot be written, so the story has ended.")
        }
    }
}

extension ContinuousClock.Instant {
    /// The milliseconds since this instant.
    var milliseconds: Int { Int((ContinuousClock.now - self) / .milliseconds(1)) }
}
