import Foundation
import KithModel

/// The floor of a round: reads the changes after a sequence through an index, from a table in memory, and writes them
/// to a table on disk.
///
/// There is no JSON, account, outbox or digest: only SQLite remains.
final class PlainRound {
    private let server = Floor(path: ":memory:")
    private let client: Floor
    private let list = UUID().data
    private let creator = UUID().data
    private let first = UUID().data
    private var sequence: Int64
    private var seen: Int64

    init(records: Int, folder: URL) {
        client = Floor(path: folder.appendingPathComponent("round-\(UUID().uuidString).sqlite").path)
        sequence = Int64(records)
        seen = sequence
        for floor in [server, client] {
            floor.createTables()
            floor.run("BEGIN IMMEDIATE")
            for index in 0..<records {
                let id = index == 0 ? first : UUID().data
                floor.insertItem(
                    list: list, id: id, title: "Something to buy, number \(index)", position: "d\(index)",
                    creator: creator, sequence: Int64(index + 1))
            }
            floor.run("COMMIT")
        }
        server.createSequenceIndex()
    }

    /// Changes one row on the server.
    func change() {
        sequence += 1
        server.insertItem(
            list: list, id: first, title: "Changed \(sequence)", position: "d0", creator: creator, sequence: sequence)
    }

    /// Reads the changes and writes them durably. Returns their number.
    func carry() -> Int {
        let changes = server.readChanges(list, after: seen)
        guard !changes.isEmpty else { return 0 }
        client.run("BEGIN IMMEDIATE")
        for change in changes {
            client.insertItem(
                list: list, id: change.id, title: change.title, position: "d0", creator: creator, sequence: sequence)
        }
        client.run("COMMIT")
        seen = sequence
        return changes.count
    }
}
