import BenchReport
import Foundation

/// Measures rounds with nothing new of many devices at once, beside `GET /health` on the same server.
struct IdleRounds {
    let run: Run

    func measure() throws {
        let server = try run.serve()
        let devices = try (0..<32).map { _ in try SyncDevice(port: server.port) }
        for device in devices {
            _ = try device.makeList()
            try device.catchUp()
        }
        let requests = devices.map { $0.request() }
        let count = run.size(15_000, smoke: 320)
        let health = HealthCheck(port: server.port, connections: devices.count)
        var (rounds, checks): ([Double], [Double]) = ([], [])
        for _ in 0..<run.size(7, smoke: 1) {
            checks.append(try health.rate(of: count))
            rounds.append(
                try ClosedLoop.rate(of: count, on: devices.map(\.connection), request: { requests[$0] }) {
                    index, answer in
                    guard answer.status == 200, AnswerGlance(answer.body)?.hasMore == false else {
                        throw SyncDevice.Unexpected(answer)
                    }
                })
        }
        run.line(
            "nothing new, 32 connections", .perSecond(rounds.median),
            beside: .init("GET /health", .perSecond(checks.median)),
            wanted: .atLeastTimes(0.3))
    }
}
