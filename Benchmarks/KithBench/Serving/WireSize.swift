import BenchReport
import Foundation
import KithServer

/// Measures the bytes of a row in a first fill.
struct WireSize {
    let run: Run

    func measure() throws {
        let fill = try ServedFill(run.size(100_000, smoke: 1_000), run: run)
        let rows = Double(fill.records)
        let packed = Double(fill.answers.reduce(0) { $0 + $1.body.count }) / rows
        run.line(
            "first fill: bytes of a row with gzip", .bytes(packed), beside: try kinto(), wanted: .atMost(.bytes(19)))
        let bodies = try fill.answers.map(SyncDevice.expanded)
        run.line(
            "first fill: bytes of a row without compression", .bytes(Double(bodies.reduce(0) { $0 + $1.count }) / rows))
        for level in [3, 19] {
            guard let size = try zstd(bodies, level: level) else {
                return run.remark("Without the program zstd there is no line about it. ./bench --peers installs it.")
            }
            run.line(
                "first fill: bytes of a row with zstd -\(level), which the server does not offer",
                .bytes(Double(size) / rows), beside: .init("gzip", .bytes(packed)))
        }
    }

    /// The bytes of a row of Kinto, compressed in the same way. Kinto leaves that to a proxy.
    private func kinto() throws -> Line.Reference? {
        guard let kinto = try KintoPeer.start(run) else { return nil }
        let records = PeerRecord.sample(run.size(2_000, smoke: 50))
        try kinto.store(records)
        let body = try kinto.readBody()
        return .init("Kinto, gzip", .bytes(Double(try Gzip.compress(body).count) / Double(records.count)))
    }

    /// The compressed size of the bodies, each by itself; nil if the program is not installed.
    private func zstd(_ bodies: [Data], level: Int) throws -> Int? {
        guard let program = PeerProcess.path(of: "zstd") else { return nil }
        var size = 0
        for body in bodies {
            let (plain, packed) = (run.folder.appending(path: "body"), run.folder.appending(path: "body.zst"))
            try body.write(to: plain)
            try PeerProcess.run(
                [program, "--quiet", "--force", "-\(level)", plain.path(), "-o", packed.path()], in: run.folder)
            size += try Data(contentsOf: packed).count
        }
        return size
    }
}
