import Foundation

/// Measures the effect of a hundred greedy accounts on four addresses on the rounds of other people.
func measureOverload(in folder: URL) throws {
    let server = try OverloadedServer.start(in: folder)
    let honest = try (0..<8).map { try Account(LoopbackClient(port: server.port, address: "127.0.1.\($0 + 1)")) }
    for account in honest { try account.makeList() }
    let table = Table("what", "p50", "p99", "rounds", "refused")
    var (worst, served) = (0.0, [String]())
    for (run, kinds) in (Greed.Kind.allCases.map { [$0] } + [Greed.Kind.allCases]).enumerated() {
        // Use new addresses in each run, because the number of sessions that one address can open is limited.
        let greed = try Greed(100, of: kinds, on: (1...4).map { "127.0.\(run + 2).\($0)" }, port: server.port)
        // Measure the idle server before each run, because the speed of a machine varies from minute to minute.
        let idle = Latencies.measure(honest, for: 15)
        let name = kinds.count == 1 ? kinds[0].rawValue : "all three"
        table.row("one edit, nobody else is there, before: \(name)", idle.edits)
        table.row("nothing new, nobody else is there", idle.empty)
        greed.begin()
        Thread.sleep(forTimeInterval: 3)
        let busy = Latencies.measure(honest, for: 15)
        greed.end()
        table.row("one edit, beside 100 accounts on 4 addresses: \(name)", busy.edits)
        table.row("nothing new, beside them", busy.empty)
        for (quiet, loud) in [(idle.edits, busy.edits), (idle.empty, busy.empty)] {
            worst = max(worst, loud.times.p99 / quiet.times.p99)
        }
        served.append("\(name): \(greed.summary)")
    }
    print(String(format: "the worst p99 is %.1f times its idle value", worst))
    for line in served { print("what the greedy got, \(line)") }
    print("the server had \(server.memory) MB at the most")
}

extension Table {
    fileprivate func row(_ what: String, _ rounds: Latencies) {
        row(
            what, String(format: "%.1f ms", rounds.times.p50 / .milliseconds(1)),
            String(format: "%.1f ms", rounds.times.p99 / .milliseconds(1)),
            "\(rounds.times.count)", "\(rounds.refused)")
    }
}
