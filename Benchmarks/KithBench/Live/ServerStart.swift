import BenchReport
import Foundation
import KithServer

/// Measures the start of the server over a large database: from starting the program to the first answer that it is ready.
///
/// The beginning of the file is in the memory of the system, as after an update of the program.
enum ServerStart {
    private struct NotReady: Error {}

    static func measure(_ run: Run) throws {
        let count = run.size(1_000_000, smoke: 10_000)
        let file = run.folder.appending(path: "large.sqlite")
        let emptyFile = run.folder.appending(path: "empty.sqlite")
        try fill(file, count)
        _ = try SQLiteDatabase(path: emptyFile.path(percentEncoded: false))
        var (large, empty) = (Samples(), Samples())
        for _ in 0..<run.size(11, smoke: 3) {
            large.append(try start(run, file))
            empty.append(try start(run, emptyFile))
        }
        run.line(
            "start of the server over \(count) records, until it is ready", .time(large.p50),
            beside: .init("an empty database", .time(empty.p50)), wanted: .atMost(.milliseconds(300)))
    }

    private static func fill(_ file: URL, _ count: Int) throws {
        let database = try SQLiteDatabase(path: file.path(percentEncoded: false))
        let lists = 100
        for _ in 0..<10 {
            var author = try DatabaseAuthor(database)
            for _ in 0..<lists / 10 { _ = try author.add(count / lists, to: try author.makeList()) }
        }
        let live = try database.readNow { try $0.query("SELECT SUM(live) FROM feed").first?.integer(0) ?? 0 }
        // Each list also has its own record, a member and a membership.
        precondition(live == count + lists * 3)
    }

    private static func start(_ run: Run, _ file: URL) throws -> Duration {
        let start = ContinuousClock.now
        let server = try run.serve(file)
        defer { server.stop() }
        guard try LoopbackClient(port: server.port, address: "127.0.0.1").ask("GET", "/ready").status == 200 else {
            throw NotReady()
        }
        return .now - start
    }
}
