import KithModel
import KithServer
import Testing

@Suite("The picture of the funnel") struct FunnelChartTests {
    /// 2026-11-20.
    private let first: Int64 = 20_777

    private func chart(_ counts: [(day: Int64, step: Funnel.Step, count: Int)], days: Int64) -> FunnelChart {
        let rows = counts.map {
            Funnel.Row(programme: "friends", day: first + $0.day, channel: .link, step: $0.step, count: $0.count)
        }
        return FunnelChart(FunnelSummary(Funnel(rows: rows), days: first...first + days - 1))
    }

    @Test("has a curve for each step on one scale, lines across at round numbers, and three dates")
    func curves() {
        let chart = chart([(0, .shared, 40), (2, .shared, 10), (1, .joined, 4)], days: 3)
        #expect(chart.curves.map(\.step) == Funnel.Step.allCases)
        #expect(chart.curves.map(\.numbers) == [[40, 0, 10], [0, 0, 0], [0, 4, 0], [0, 0, 0]])
        #expect(chart.ticks.map(\.number) == [0, 10, 20, 30, 40])
        #expect(chart.ticks.map(\.height) == ["244", "187", "130", "73", "16"])
        #expect(chart.curves[0].line == "M56 16L380 244L704 187")
        #expect(chart.curves[0].area == "M56 16L380 244L704 187L704 244L56 244Z")
        #expect(chart.curves[2].line == "M56 244L380 221.2L704 244")
        #expect(chart.marks.map(\.date) == ["2026-11-20", "2026-11-21", "2026-11-22"])
        #expect(chart.marks.map(\.place) == ["56", "380", "704"])
        #expect(chart.marks.map(\.anchor) == ["start", "middle", "end"])
        #expect(chart.together == 1 && chart.days == [first, first + 1, first + 2])
    }

    @Test("shows a single day as short lines in the middle") func singleDay() {
        let chart = chart([(0, .visited, 3)], days: 1)
        #expect(chart.curves[1].line == "M372 16L388 16" && chart.curves[1].numbers == [3])
        #expect(chart.marks.map(\.anchor) == ["middle"] && chart.ticks.map(\.number) == [0, 1, 2, 3])
    }

    @Test("has a scale without numbers, too") func empty() {
        let chart = chart([], days: 30)
        #expect(chart.ticks.map(\.number) == [0, 1] && chart.curves.allSatisfy { $0.numbers.allSatisfy { $0 == 0 } })
    }

    @Test("joins days to at most 120 points, and loses none", arguments: [119, 120, 121, 365, 3_660] as [Int64])
    func manyDays(days: Int64) {
        let chart = chart((0..<days).map { ($0, .shared, 1) }, days: days)
        let numbers = chart.curves[0].numbers
        #expect(numbers.count <= 120 && numbers.reduce(0, +) == Int(days) && numbers.count == chart.days.count)
        #expect(numbers.dropLast().allSatisfy { $0 == chart.together })
    }

    @Test(
        "has at most five lines above zero, and the highest number below the uppermost", arguments: [1, 6, 99, 12_345])
    func scale(most: Int) {
        let ticks = chart([(0, .shared, most)], days: 2).ticks.map(\.number)
        #expect(ticks.count <= 6 && (ticks.last ?? 0) >= most && ticks[ticks.count - 2] < most)
    }
}
