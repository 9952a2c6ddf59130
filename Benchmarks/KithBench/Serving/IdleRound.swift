import BenchReport
import Foundation
import KithModel

/// Measures a round with nothing new, on one connection.
struct IdleRound {
    let run: Run

    func measure() throws {
        let server = try run.serve()
        let device = try SyncDevice(port: server.port)
        _ = try device.makeList()
        try device.catchUp()
        let body = device.body()
        let request = device.request(body: body)
        var (samples, down) = (Samples(), 0)
        for round in 0..<run.size(3_000, smoke: 100) {
            let answer = try samples.time { try device.connection.ask(request) }
            if round % 100 == 0 {
                let read = try device.adopt(answer)
                precondition(read.feeds.isEmpty && !read.more, "The answer has news.")
            }
            down = answer.body.count
        }
        run.line("nothing new, 1 connection, p50", .time(samples.p50), wanted: .atMost(.milliseconds(0.35)))
        run.line("nothing new, 1 connection, p99", .time(samples.p99))
        run.line("nothing new: the body of the request", .bytes(Double(body.count)), wanted: .atMost(.bytes(250)))
        run.line("nothing new: the body of the answer", .bytes(Double(down)), wanted: .atMost(.bytes(250)))
    }
}
