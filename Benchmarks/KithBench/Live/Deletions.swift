import BenchReport
import Foundation
import KithModel
import KithServer

/// Measures how long a new device waits for a list from which many items were removed, beside a list that has the same
/// number of items and has never lost one.
///
/// The server keeps the tombstones, as it does for the first 90 days. The remaining items are spread evenly among the
/// removed ones.
struct Deletions {
    private struct Wrong: Error { let rows: Int }

    private let run: Run
    private let database: SQLiteDatabase
    private let file: URL

    init(_ run: Run) throws {
        self.run = run
        file = run.folder.appending(path: "deletions.sqlite")
        database = try SQLiteDatabase(path: file.path(percentEncoded: false))
    }

    consuming func measure() throws {
        let (count, live) = (run.size(1_000_000, smoke: 5_000), run.size(1_000, smoke: 100))
        var (worn, fresh) = (try DatabaseAuthor(database), try DatabaseAuthor(database))
        let list = try worn.makeList()
        for _ in 0..<live {
            let items = try worn.add(count / live + 1, to: list)
            try worn.remove(items.dropFirst(), from: list)
        }
        let other = try fresh.makeList()
        _ = try fresh.add(live, to: other)
        try check(list, live: live, deleted: count)
        let server = try run.serve(file)
        defer { server.stop() }
        let client = LoopbackClient(port: server.port, address: "127.0.0.1")
        var (wornTimes, freshTimes) = (Samples(), Samples())
        for turn in 0..<run.size(22, smoke: 6) {
            // The list, its member and the membership come with the items.
            let times = try (fill(worn.session, rows: live + 3, client), fill(fresh.session, rows: live + 3, client))
            // The first turn warms up.
            if turn == 0 { continue }
            wornTimes.append(times.0)
            freshTimes.append(times.1)
        }
        run.line(
            "a new device reads a list of \(live) after \(count) deletions", .time(wornTimes.p50),
            beside: .init("none deleted", .time(freshTimes.p50)), wanted: .atMostTimes(1.1))
    }

    private func check(_ list: FeedID, live: Int, deleted: Int) throws {
        let counts = try database.readNow { transaction in
            try transaction.query(
                """
                SELECT COUNT(*) FROM record WHERE feed = ? UNION ALL SELECT COUNT(*) FROM tombstone WHERE feed = ?
                """, [.id(list), .id(list)]
            ).map { try $0.integer(0) }
        }
        precondition(counts == [Int64(live) + 2, Int64(deleted)], "The list has \(counts).")
    }

    /// Performs the first rounds of a new device, and returns how long it waited for the answers.
    private func fill(_ session: NewSession, rows: Int, _ client: LoopbackClient) throws -> Duration {
        let device = DeviceID(UUID())
        var (token, waited, read, isDone): (SyncToken?, Duration, Int, Bool) = (nil, .zero, 0, false)
        while !isDone {
            let request = SyncRequest(
                account: session.account, device: device, acknowledged: .none, sent: 0, mutations: [], token: token)
            let start = ContinuousClock.now
            let body = try client.ask("POST", "/v1/sync", token: session.token, body: request.json).body
            waited += .now - start
            let answer = try SyncAnswer(json: body)
            read += answer.feeds.reduce(0) { sum, feed in
                sum + feed.changes.count + (feed.page?.columns.reduce(0) { $0 + $1.count } ?? 0)
            }
            (token, isDone) = (answer.token, !answer.more)
        }
        guard read == rows else { throw Wrong(rows: read) }
        return waited
    }
}
