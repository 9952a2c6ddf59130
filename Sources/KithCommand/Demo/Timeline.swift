import Foundation

/// Tells the story line by line: when, who, what.
///
/// A line is written after what it says was done or checked, never before.
struct Timeline: Sendable {
    enum Who: String, Sendable, CaseIterable {
        case phone, tablet, server
        /// A third device, which starts with nothing and so sees what the server has.
        case fresh
        /// Another program, which writes files.
        case disk
        /// The three of the third act, each with a device.
        case zoe = "Zoë"
        case lukasz = "Łukasz"
        case lucia = "Lucia"
        case all
    }

    private let console: Console
    private let start = ContinuousClock.now

    init(_ console: Console) {
        self.console = console
    }

    /// The heading of a part of the story.
    func chapter(_ title: String) throws {
        try write("\n" + look(title, .strong))
    }

    func say(_ who: Who, _ what: String) throws {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let time = String(format: "%7.2f s", seconds)
        try write("\(look(time, .faint))  \(look(who.label, colour(of: who)))  \(what.printable)")
    }

    /// Lines that belong to no moment.
    func print(_ lines: [String]) throws {
        try write(lines.joined(separator: "\n"))
    }

    func lines(of table: Table) -> [String] {
        table.lines(colour: console.hasColour).map { "  " + $0 }
    }

    var columns: Int { console.columns }

    func look(_ text: String, _ look: Look) -> String { look.applied(to: text, colour: console.hasColour) }

    private func colour(of who: Who) -> Look { who == .all ? .good : .strong }

    private func write(_ text: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
    }
}

extension Timeline.Who {
    /// The name, as wide as the widest.
    fileprivate var label: String { rawValue.padding(toLength: 6, withPad: " ", startingAt: 0) }
}
