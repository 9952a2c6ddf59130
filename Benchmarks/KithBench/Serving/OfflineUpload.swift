import BenchReport
import Foundation

/// Measures sending up many edits that were made offline.
struct OfflineUpload {
    let run: Run

    func measure() throws {
        let count = run.size(10_000, smoke: 500)
        let server = try run.serve()
        var samples = Samples()
        for _ in 0..<run.size(5, smoke: 1) { samples.append(try upload(count, to: server)) }
        run.line(
            "\(count.grouped) offline edits, sent up in requests of 500", .time(samples.p50),
            beside: try kinto(count), wanted: .atMost(.seconds(0.5)))
    }

    /// The time of the requests, without that for writing and reading them on the client.
    private func upload(_ count: Int, to server: KithServe) throws -> Duration {
        let device = try SyncDevice(port: server.port)
        let list = try device.makeList()
        try device.catchUp()
        var time = Samples()
        for start in stride(from: 0, to: count, by: 500) {
            let request = device.request(device.items(start..<(start + 500), in: list))
            let answer = try time.time { try device.connection.ask(request) }
            try device.adopt(answer)
        }
        let stored = try SyncDevice(device.session, port: server.port).catchUp()
        precondition(stored == count + 3, "The server has \(stored - 3) of \(count) items.")
        return time.total
    }

    /// The time of Kinto, for which a fifth of the edits is enough: each batch takes the same time.
    private func kinto(_ count: Int) throws -> Line.Reference? {
        guard let kinto = try KintoPeer.start(run) else { return nil }
        let time = try kinto.upload(PeerRecord.sample(count / 5))
        return .init("Kinto, 5 × \((count / 5).grouped)", .time(time * 5))
    }
}
