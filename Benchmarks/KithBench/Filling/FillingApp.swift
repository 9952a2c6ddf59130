import BenchReport
import Foundation
import Kith
import KithModel

/// An app that fills its replica from `kith serve`, to measure the server's memory.
enum FillingApp {
    /// - Parameters:
    ///   - database: The database of the server, with `count` items of the account.
    ///   - token: The token of the account.
    ///   - count: The number of items.
    ///   - run: The run of the row.
    /// - Throws: An error of the server or of the client.
    static func measure(_ database: URL, token: String, items count: Int, _ run: Run) async throws {
        let server = try run.serve(database)
        defer { server.stop() }
        let before = server.usage.peakMemory
        let folder = run.folder.appending(path: "app")
        let client = try KithClient(KithConfiguration(server: server.url, storage: .directory(folder)))
        _ = try await client.session.activate(token: token)
        try await client.syncNow()
        let stored = Floor(path: folder.appending(path: "kith.sqlite").path())
        try Mismatch.unless(stored.count(of: "item") == count, "Records are missing.")
        run.line(
            "first fill of \(count.grouped) records from `kith serve`: its peak memory",
            .bytes(Double(server.usage.peakMemory)), wanted: .atMost(.mebibytes(96)))
        run.line("the same server before the first request: its peak memory", .bytes(Double(before)))
    }
}
