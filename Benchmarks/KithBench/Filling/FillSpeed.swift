import BenchReport
import Foundation
import Kith
import KithModel

/// The time in which a device's empty replica takes all records of its account.
///
/// It goes from the bytes of an answer to the commit, after which the records can be read. The floor inserts the same
/// rows, from values in memory, in as many transactions.
enum FillSpeed {
    static func measure(_ answers: FillAnswers, in folder: URL, postsNotifications: Bool, _ run: Run) throws {
        let count = answers.items.last ?? 0
        let file = folder.appending(path: "speed-\(postsNotifications).sqlite")
        let replica = try answers.device(at: file, postsNotifications: postsNotifications)
        let floor = Floor(path: folder.appending(path: "floor-\(postsNotifications).sqlite").path())
        // As much as the replica has.
        floor.run("PRAGMA cache_size = -16384")
        floor.createTables()
        var (kith, plain) = (Samples(), Samples())
        let rounds = Rounds(replica: replica)
        var next = Rounds.Next.again
        while next == .again {
            guard let request = try rounds.begin(), let place = answers.place(of: request) else {
                throw Mismatch(description: "The device asks for what was not prepared.")
            }
            let data = try Data(contentsOf: FillAnswers.file(place, in: folder))
            let rows = PlainItem.all(in: try SyncAnswer(json: data))
            let areWhole = rows.allSatisfy { !$0.title.isEmpty && !$0.position.isEmpty }
            try Mismatch.unless(areWhole, "The floor has no values.")
            // In turns, so that a slow moment affects both.
            if !rows.isEmpty { plain.time { floor.insert(rows) } }
            next = try kith.time { try rounds.finish(request, SyncAnswer(json: data)) }
        }
        let stored = Floor(path: file.path())
        let isWhole = stored.count(of: "item") == count && floor.count(of: "item") == count
        try Mismatch.unless(isWhole, "Rows are missing.")
        func rate(_ times: Samples) -> Amount { .perSecond(Double(count) / (times.total / .seconds(1))) }
        run.line(
            "first fill of \(count.grouped) records: rows from answer to queryable"
                + (postsNotifications ? ", with notifications" : ""),
            rate(kith), beside: .init(Floor.name, rate(plain)), wanted: postsNotifications ? nil : .atLeastTimes(0.9))
    }
}
