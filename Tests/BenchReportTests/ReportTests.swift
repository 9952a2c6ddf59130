import BenchReport
import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("The report of the benchmark")
struct ReportTests {
    private static let floor = Line.Reference("SQLite in C", .milliseconds(2))
    private static func report(_ lines: Line...) -> Report {
        var report = Report(
            date: Date(timeIntervalSince1970: 1_790_000_000),
            machine: Machine(processor: "A processor", cores: 2, memory: 4 << 30, system: "Debian"), isSmoke: false)
        report.lines = lines
        return report
    }

    @Test("Amounts have three digits and a unit that suits their size")
    func amounts() {
        #expect("\(Amount.milliseconds(0.0123))" == "12.3 µs")
        #expect("\(Amount.milliseconds(1.3))" == "1.30 ms")
        #expect("\(Amount.seconds(16))" == "16.0 s")
        #expect("\(Amount.perSecond(1_234_567.8))" == "1,234,568/s")
        #expect("\(Amount.bytes(19))" == "19.0 B")
        #expect("\(Amount.kibibytes(16))" == "16.0 KiB")
        #expect("\(Amount.mebibytes(95.5))" == "95.5 MiB")
    }

    @Test("A goal may be an amount, or a multiple of the reference in either direction")
    func goals() {
        func line(_ kith: Amount, _ goal: Goal?) -> Line {
            Line(row: "edit", what: "An edit", kith: kith, reference: Self.floor, goal: goal)
        }
        #expect(line(.milliseconds(2.4), .atMostTimes(1.2)).isMet == true)
        #expect(line(.milliseconds(2.5), .atMostTimes(1.2)).isMet == false)
        #expect(line(.milliseconds(1.9), .atLeastTimes(0.9)).isMet == true)
        #expect(line(.milliseconds(1.7), .atLeastTimes(0.9)).isMet == false)
        #expect(line(.milliseconds(3), .atMost(.milliseconds(3))).isMet == true)
        #expect(line(.milliseconds(3.1), .atMost(.milliseconds(3))).isMet == false)
        #expect(line(.perSecond(299), .atLeast(.perSecond(300))).isMet == false)
        #expect(line(.milliseconds(4), .atMostTimes(1)).score == 0.5)
        #expect(line(.milliseconds(4), nil).isMet == nil)
    }

    @Test("A line without a reference has no ratio, and a goal that is a multiple is then not judged")
    func withoutReference() {
        let line = Line(row: "edit", what: "An edit", kith: .milliseconds(1), goal: .atMostTimes(2))
        #expect(line.ratio == nil)
        #expect(line.isMet == nil)
        #expect(Self.report(line).summary == "0 of 0 goals are met")
    }

    @Test("Markdown, JSON and the picture say the same")
    func forms() throws {
        let report = Self.report(
            Line(
                row: "edit", what: "An edit & <more>", kith: .milliseconds(5), reference: Self.floor,
                goal: .atMostTimes(2)),
            Line(row: "round", what: "A round", kith: .milliseconds(1), goal: .atMost(.milliseconds(2))))
        #expect(report.summary == "1 of 2 goals are met")
        #expect(
            report.markdown.contains(
                "| An edit & <more> | 5.00 ms | SQLite in C: 2.00 ms | 2.50 | ≤ 2.00 × | **missed** |"))
        #expect(report.markdown.hasPrefix("2026-09-21, A processor, 2 cores, 4.00 GiB, Debian."))
        let json = try #require(try JSONSerialization.jsonObject(with: report.json()) as? [String: Any])
        let rows = try #require(json["rows"] as? [[String: Any]])
        #expect(rows.map { $0["met"] as? Bool } == [false, true])
        #expect(rows[0]["ratio"] as? Double == 2.5)
        #expect(report.svg.contains("An edit &amp; &lt;more&gt;"))
        #expect(report.svg.contains("1 of 2 goals are met"))
        #expect(XMLParser(data: Data(report.svg.utf8)).parse())
    }

    @Test("The table in a terminal has one line for each measurement, without Markdown")
    func text() {
        let line = Line(
            row: "edit", what: "An edit", kith: .milliseconds(5), reference: Self.floor, goal: .atMostTimes(2))
        #expect(Report.text(line).hasSuffix("≤ 2.00 ×       missed"))
        #expect(Report.textHeader.split(separator: "\n").count == 2)
    }
}
