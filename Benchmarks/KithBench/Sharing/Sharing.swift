import Foundation
import KithServer

/// Measures the addresses of share links at a fixed rate, with visits being counted, beside a server that always gives the
/// same answer; and drawing the funnel of a million events. If it `isSmoke`, everything is small.
func measureSharing(in folder: URL, isSmoke: Bool) async throws {
    let file = folder.appending(path: "sharing.sqlite").path()
    let links = try await SharedLinks(isSmoke ? 50 : 500, in: file)
    let table = Table("what", "p50", "p99", "requests", "refused")
    let visited = try measureLinks(links, file, table, isSmoke: isSmoke)
    let funnel = try await FunnelService(database: SQLiteDatabase(besideServer: file)).funnel()
    print("\(funnel.total(.visited)) of \(visited) visits were counted; the others were repeated or not yet stored")
    try await DrawnFunnel(events: isSmoke ? 100_000 : 1_000_000, friends: isSmoke ? 1_000 : 100_000).measure()
}

/// - Returns: The number of requests that were visits.
private func measureLinks(_ links: SharedLinks, _ file: String, _ table: Table, isSmoke: Bool) throws -> Int {
    let kith = try LinkServer.start(file)
    let example = try LoopbackClient(port: kith.port, address: "127.0.0.1")
        .ask("GET", "/s/\(links.pages[0])", fields: SharedLinks.browser(0).split(separator: "\r\n").map(String.init))
    precondition(example.status == 200, "The page of a link is shown.")
    // As many bytes as the page has after it was compressed.
    let plain = try PlainServer.start(page: example.body.count)
    let (part, seconds, turns) = isSmoke ? (10, 1, 1) : (1, 10, 3)
    let redirects = OpenLoop(rate: 5_000 / part, seconds: seconds, status: 303)
    let pages = OpenLoop(rate: 2_000 / part, seconds: seconds, status: 200)
    var rows = Array(repeating: Latencies(), count: 4)
    // In turns, because the speed of a machine varies from minute to minute.
    for turn in 0..<turns {
        rows[0].add(
            redirects.measure(at: kith.port, turn: turn) {
                "/s/\(links.redirects[$0 % links.redirects.count])?c=email"
            })
        rows[1].add(redirects.measure(at: plain.port, turn: turn) { _ in "/redirect" })
        rows[2].add(pages.measure(at: kith.port, turn: turn) { "/s/\(links.pages[$0 % links.pages.count])" })
        rows[3].add(pages.measure(at: plain.port, turn: turn) { _ in "/page" })
    }
    precondition(rows.allSatisfy { $0.times.count > 0 }, "Each kind of request has right answers.")
    table.row("\(redirects.rate.grouped) a second: a link that leads to the operator’s page", rows[0])
    table.row("the same rate: Hummingbird with a constant redirect", rows[1])
    table.row("\(pages.rate.grouped) a second: the page of a link", rows[2])
    table.row("the same rate: Hummingbird with a constant page", rows[3])
    print("the page has \(example.body.count) compressed bytes; the server had \(kith.memory) MB at the most")
    kith.stop()
    return rows[0].times.count + rows[2].times.count
}

extension Table {
    fileprivate func row(_ what: String, _ requests: Latencies) {
        guard requests.times.count > 0 else { return row(what, "–", "–", "0", "\(requests.refused)") }
        row(
            what, String(format: "%.2f ms", requests.times.p50 / .milliseconds(1)),
            String(format: "%.2f ms", requests.times.p99 / .milliseconds(1)),
            "\(requests.times.count)", "\(requests.refused)")
    }
}
