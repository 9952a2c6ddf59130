import ArgumentParser
import Foundation
import KithModel
import KithServer

/// `kith admin funnel`: how many people share, visit, join and are rewarded.
struct FunnelCommand: ServerFilesCommand {
    static let configuration = CommandConfiguration(
        commandName: "funnel", abstract: "Show the numbers of shares, visits, friends who joined and friends rewarded.",
        discussion: """
            Days begin at midnight UTC. A visit is counted once for each visitor, link and day. With --csv, the numbers of \
            each day and channel are a table for other programs.
            """)
    @Option(help: ArgumentHelp("Only this programme.", valueName: "name")) var programme: String?
    @Option(help: "How many days, up to today.") var days = 30
    @Flag(help: "Write a table in CSV.") var csv = false
    @OptionGroup var files: ServerFiles

    func validate() throws {
        guard (1...3_660).contains(days) else { throw ValidationError("--days needs a number from 1 to 3660.") }
    }

    func answer(_ admin: AdminContext) async throws -> CommandAnswer {
        try await admin.requireProgramme(programme)
        let last = Timestamp(.now).day
        let range = last - Int64(days - 1)...last
        let funnel = try await FunnelService(database: admin.database).funnel(
            of: programme, from: range.lowerBound, through: range.upperBound)
        if csv { return CommandAnswer(content: Data(funnel.csv.utf8)) }
        let plot = FunnelPlot(funnel, days: range, width: admin.console.width ?? 80)
        let steps = Dictionary(uniqueKeysWithValues: Funnel.Step.allCases.map { ($0.rawValue, funnel.total($0)) })
        return CommandAnswer([
            "programme": programme, "from": Funnel.date(ofDay: range.lowerBound),
            "through": Funnel.date(ofDay: range.upperBound), "totals": steps, "rows": funnel.rows.map(\.shape),
        ]) { plot.lines(colour: $0) }
    }
}

extension Funnel.Row {
    /// The number for `--json`.
    fileprivate var shape: Shape {
        [
            "programme": programme, "day": Funnel.date(ofDay: day), "channel": channel, "step": step.rawValue,
            "count": count,
        ]
    }
}
