import Foundation
import KithModel

/// The floor for people: only their rows in SQLite.
final class PlainPeople {
    private let floor: Floor
    private let count: Int

    /// Opens the replica of a device.
    init(_ replica: URL) {
        floor = Floor(path: replica.path())
        count = 0
    }

    /// Creates a file with `count` rows, each a person in a different feed.
    init(_ file: URL, count: Int) {
        floor = Floor(path: file.path())
        self.count = count
        floor.run(
            """
            CREATE TABLE record (feed BLOB NOT NULL, id BLOB NOT NULL, sequence INTEGER NOT NULL, modified INTEGER NOT NULL,
                fields TEXT NOT NULL, stamps TEXT NOT NULL, PRIMARY KEY (feed, id)) WITHOUT ROWID
            """)
        floor.run("CREATE INDEX record_sequence ON record (feed, sequence)")
        write(0)
    }

    /// Updates all rows in one transaction.
    func write(_ run: Int) {
        floor.run("BEGIN IMMEDIATE")
        for index in 0..<count { put(index, run) }
        floor.run("COMMIT")
    }

    /// Writes one row durably.
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

    /// Reads all people of the replica, with each column as a separate value, and returns their number.
    func read() -> Int { floor.readPeople().count }
}
