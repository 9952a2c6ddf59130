import BenchReport
import Foundation

/// The first fill of a device: its speed, the memory of both sides, and what is lost if the device is killed.
enum FirstFill {
    static func measure(_ run: Run) async throws {
        for (place, count) in [run.size(100_000, smoke: 2_000), run.size(1_000_000, smoke: 12_000)].enumerated() {
            let folder = run.folder.appending(path: "fill-\(place)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let database = folder.appending(path: "server.sqlite")
            let (answers, token) = try await prepare(count, database: database, in: folder)
            for postsNotifications in place == 0 ? [false, true] : [false] {
                try FillSpeed.measure(answers, in: folder, postsNotifications: postsNotifications, run)
            }
            if place == 0 { continue }
            try measureMemory(of: count, in: folder, run)
            try await FillingApp.measure(database, token: token, items: count, run)
        }
        try await measureKills(run)
    }

    private static func measureMemory(of count: Int, in folder: URL, _ run: Run) throws {
        for postsNotifications in [false, true] {
            let replica = folder.appending(path: "child-\(postsNotifications).sqlite")
            let process = try FillingProcess(replica, postsNotifications: postsNotifications)
            let isFilled = try process.wait() && process.last("stored") == count
            try Mismatch.unless(isFilled, "The child process has not filled its replica.")
            run.line(
                "first fill of \(count.grouped) records: the device's peak memory"
                    + (postsNotifications ? ", with notifications" : ""),
                .bytes(Double(process.last("memory") ?? .max)),
                wanted: postsNotifications ? nil : .atMost(.mebibytes(96)))
        }
    }

    /// Kills fills of a few pages: the more pages, the less often a kill hits the same moment of a page.
    private static func measureKills(_ run: Run) async throws {
        let folder = run.folder.appending(path: "killed")
        let count = run.size(200_000, smoke: 25_000)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (answers, _) = try await prepare(count, database: folder.appending(path: "server.sqlite"), in: folder)
        try KilledFills.measure(answers, in: folder, run)
    }

    /// Fills a server, and prepares its answers. The server's database is closed afterwards.
    private static func prepare(
        _ count: Int, database: URL, in folder: URL
    ) async throws -> (FillAnswers, token: String) {
        let server = try LocalServer(file: database)
        try await server.store(items: count)
        let answers = try await FillAnswers.prepare(from: server, in: folder)
        try Mismatch.unless(answers.items.last == count, "The answers do not have all records.")
        return (answers, server.token)
    }
}
