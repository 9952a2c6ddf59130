import Foundation
import KithModel

/// The floor of people: their rows in SQLite, and nothing else.
final class PlainPeople {
    private let floor: Floor
    private let count: Int

    /// The replica of a device, as it is.
    init(_ replica: URL) {
        floor = Floor(path: replica.path())
        count = 0
    }

    /// A file of so many rows, each a person in somebody's feed.
    init(_ file: URL, count: Int) {
        floor = Floor(path: file.path())
        self.count = count
        floor.run(
            """
            CREATE TABLE record (feed BLOB NOT NULL, id BLOB NOT NULL, sequence INTEGER NOT NULL, modified INTEGER NOT NULL,
                fields TEXT NOT NULL, stamps TEXT NOT NULL, PRIMARY KEY (feed, id)) WITHOUT ROWID
            """)
        floor.run("CREATE INDEX record_sequence ON record (feed, sequence)")
        write(0, transactions: 1)
    }

    /// Writes all rows, with as many in each transaction.
    func write(_ run: Int, transactions: Int) {
        let step = (count + transactions - 1) / transactions
        for start in stride(from: 0, to: count, by: step) {
            floor.run("BEGIN IMMEDIATE")
            for index in start..<min(start + step, count) { put(index, run) }
            floor.run("COMMIT")
        }
    }

    /// Writes one row, durably.
    func change(_ index: Int) {
        floor.run("BEGIN IMMEDIATE")
        put(index, -1)
        floor.run("COMMIT")
    }

    private func put(_ index: Int, _ run: Int) {
        let id = UUID(high: 1, low: UInt64(index)).data
        floor.run(
            """
            INSERT INTO record (feed, id, sequence, modified, fields, stamps) VALUES (?, ?, ?, 1790000000000, ?, ?)
            ON CONFLICT DO UPDATE SET sequence = excluded.sequence, fields = excluded.fields, stamps = excluded.stamps
            """,
            [
                .bytes(id), .bytes(id), .integer(Int64(run + 2)),
                .text(#"{"family":"Family \#(index)","given":"Person \#(index)","status":"by the sea, \#(run)"}"#),
                .text(#"{"family":1790000000000,"given":1790000000000,"status":1790000000000}"#),
            ])
    }

    /// Reads all people of the replica, each column into a value of its own; how many they are.
    func read() -> Int { floor.readPeople().count }
}
