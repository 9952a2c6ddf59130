import GRDB
import Kith

extension Replica {
    /// Makes commits return before the disk has them, so that only the processor counts in the time of an edit.
    func doNotWaitForDisk() throws {
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    }
}
