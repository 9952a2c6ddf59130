import KithCommand
import KithModel
import KithServer
import Testing

@Suite("The funnel in the terminal") struct FunnelPlotTests {
    /// 2026-11-20.
    private let first: Int64 = 20_777

    private func row(_ day: Int64, _ channel: ShareChannel, _ step: Funnel.Step, _ count: Int) -> Funnel.Row {
        Funnel.Row(programme: "friends", day: first + day, channel: channel, step: step, count: count)
    }

    private var funnel: Funnel {
        Funnel(rows: [
            row(0, .link, .shared, 8), row(0, .email, .shared, 2), row(1, .email, .shared, 10),
            row(0, .link, .visited, 4), row(3, .email, .visited, 1), row(3, .email, .joined, 1),
            row(9, .link, .joined, 50),
        ])
    }

    @Test("has a bar for each step, a curve over the days, and a table of the channels") func plot() {
        let plot = FunnelPlot(funnel, days: first...first + 3, width: 60)
        #expect(
            plot.lines(colour: false) == [
                "2026-11-20 to 2026-11-23 (UTC)",
                "",
                "shared    20  ██████████████████████",
                "visited    5  █████▌  25 % of shared",
                "joined     1  █▏  20 % of visited",
                "rewarded   0  0 % of joined",
                "",
                "shared    ██··  at most 10 a day",
                "visited   █··▃  at most 4 a day",
                "joined    ···█  at most 1 a day",
                "rewarded  ····",
                "          11-20",
                "",
                "Channel  Shared  Visited  Joined  Rewarded",
                "email        12        1       1         0",
                "link          8        4       0         0",
            ])
    }

    @Test("adds days up where there are more days than columns, and never exceeds the width") func narrow() {
        let rows = (0..<366 as Range<Int64>).map { row($0, .link, .shared, 1) }
        for width in [20, 40, 60, 80, 200] {
            let lines = FunnelPlot(Funnel(rows: rows), days: first...first + 365, width: width).lines(colour: false)
            #expect(lines.allSatisfy { $0.columns <= max(44, width) }, "\(width): \(lines)")
        }
        let lines = FunnelPlot(Funnel(rows: rows), days: first...first + 365, width: 80).lines(colour: false)
        #expect(lines[7].hasSuffix("at most 8 in 8 days"), "\(lines)")
        #expect(lines[11] == String(repeating: " ", count: 10) + "11-20" + String(repeating: " ", count: 36) + "11-20")
    }

    @Test("says so if there are no numbers in these days") func empty() {
        let lines = FunnelPlot(funnel, days: first + 4...first + 5, width: 80).lines(colour: false)
        #expect(lines == ["Nobody has shared, visited or joined from 2026-11-24 to 2026-11-25 (UTC)."])
    }
}
