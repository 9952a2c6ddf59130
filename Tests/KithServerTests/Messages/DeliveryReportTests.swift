import Foundation
import KithModel
import KithServer
import Testing

@Suite("Reports about undelivered emails") struct DeliveryReportTests {
    private func read(_ text: String) -> DeliveryReport? { DeliveryReport(Data(text.utf8)) }

    @Test(
        "The reports of different mail servers are read",
        arguments: [
            (
                DeliveryReports.postfix(to: "b@k"), "5.1.1",
                "550 5.1.1 <gone@example.net>: Recipient address rejected: User unknown"
            ),
            (
                DeliveryReports.nested(to: "b@k"), "5.0.0",
                "5.3.0 - Other mail system problem 550-'No such mailbox' (delivery attempts: 0)"
            ),
            (
                DeliveryReports.unfinished(to: "b@k"), "5.2.1",
                "550-5.2.1 The email account that you tried to reach is inactive. 550 5.2.1 Learn more at https://example.net/help"
            ),
            (DeliveryReports.global(to: "b@k"), "5.1.10", "5.1.10"),
        ])
    func servers(text: String, status: String, words: String) throws {
        for text in [text, text.replacing("\n", with: "\r\n")] {
            let report = try #require(read(text))
            #expect(report.failure?.status == status)
            #expect(report.failure?.diagnostic == words)
            #expect(report.recipients.contains { $0.contains("b@k") })
        }
    }

    @Test(
        "A delay and a success are no failure",
        arguments: [
            ("4.4.1", "delayed"), ("2.0.0", "delivered"), ("2.0.0", "relayed"),
            ("5.1.1", "delayed"),
        ])
    func notFinal(status: String, action: String) throws {
        let report = try #require(read(DeliveryReports.postfix(to: "b@k", status: status, action: action)))
        #expect(report.failure == nil)
    }

    @Test("A server that has given up after temporary failures has failed (RFC 3464, section 2.3.3)")
    func givenUp() throws {
        let report = try #require(read(DeliveryReports.postfix(to: "b@k", status: "4.4.1", action: "failed")))
        #expect(report.failure?.status == "4.4.1")
    }

    @Test("Without an action, only a permanent status is a failure", arguments: [("5.1.1", true), ("4.4.1", false)])
    func withoutAction(status: String, isFailure: Bool) throws {
        let report = try #require(
            read(
                "To: b@k\nContent-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\n"
                    + "Status: \(status)\n--b--\n"))
        #expect((report.failure != nil) == isFailure)
    }

    @Test(
        "An email that is no report is none",
        arguments: [
            "", "\n", "Subject: Out of office\n\nI am away until Monday. Status: 5.1.1\n",
            "Content-Type: multipart/report\n\n--b\nContent-Type: message/delivery-status\n\nStatus: 5.1.1\n",
            "Content-Type: multipart/report; boundary=b\n\n--c\nContent-Type: message/delivery-status\n\nStatus: 5.1.1\n",
            // The status in the returned email is not one of the report.
            """
            Content-Type: multipart/mixed; boundary=b

            --b
            Content-Type: message/rfc822

            Content-Type: message/delivery-status

            Action: failed
            Status: 5.1.1
            --b--
            """,
        ])
    func noReport(text: String) { #expect(read(text) == nil) }

    @Test("Only the beginning and a few parts within parts are read") func bounded() throws {
        let padding = String(repeating: "x", count: DeliveryReport.size)
        #expect(read("X: \(padding)\n" + DeliveryReports.postfix(to: "b@k")) == nil)
        func nested(_ depth: Int) -> String {
            let inner = "Content-Type: message/delivery-status\n\nAction: failed\nStatus: 5.1.1\n"
            return (0..<depth).reduce(inner) { part, level in
                "Content-Type: multipart/mixed; boundary=b\(level)\n\n--b\(level)\n\(part)--b\(level)--\n"
            }
        }
        #expect(read(nested(DeliveryReport.depth))?.failure != nil)
        #expect(read(nested(DeliveryReport.depth + 1)) == nil)
    }

    @Test("Trap: A report has many combining marks, which take minutes to compare – it is read")
    func combiningMarks() throws {
        let marks = String(repeating: "\u{327}\u{301}", count: 20_000)
        let report = try #require(read("X-\(marks): \(marks)\n" + DeliveryReports.postfix(to: "b@k")))
        #expect(report.failure?.status == "5.1.1")
    }

    @Test("Damaged reports break no law", arguments: 0..<50 as Range<UInt64>) func damaged(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let reports = [
            DeliveryReports.postfix(to: "b@k"), DeliveryReports.nested(to: "b@k"),
            DeliveryReports.unfinished(to: "b@k"), DeliveryReports.global(to: "b@k"),
        ].map { Array($0.utf8) }
        for report in reports {
            #expect(DeliveryReportFuzzing.broken(by: report) == nil)
            var bytes = report
            for _ in 0...Int.random(in: 0..<8, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: report.dropFirst(place).prefix(60), at: place)
                default: bytes.insert([0x0A, 0x0D, 0x20, 0x3A, 0x3B, 0x22].randomElement(using: &random)!, at: place)
                }
            }
            #expect(DeliveryReportFuzzing.broken(by: bytes) == nil, "\(bytes)")
        }
    }
}
