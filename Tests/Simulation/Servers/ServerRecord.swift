import Foundation
package import KithModel
import KithServer

/// A live record of a server, under the names of the newest version.
package struct ServerRecord {
    let collection: RecordCollection
    let id: RecordID<Never>
    let sequence: Int64
    let modified: Timestamp
    package let fields: Fields

    /// The record's canonical form on a device of this version.
    func line(heardBy version: Version) -> String {
        CanonicalForm.line(
            collection: version.heard(collection), id: id, sequence: sequence, modified: modified,
            fields: version.heard(fields, of: collection))
    }
}

extension SimulatedServer {
    package func records(of feed: FeedID) throws -> [ServerRecord] {
        let version = version
        return try database.readNow { transaction in
            try transaction.query(
                "SELECT collection, id, sequence, modified, fields FROM record WHERE feed = ?",
                [.id(feed)]
            ).map { row in
                try ServerRecord(
                    collection: Version.said(RecordCollection(rawValue: row.text(0))), id: row.id(1),
                    sequence: row.integer(2), modified: row.time(3),
                    fields: version.said(StoredText.fields(row.text(4))))
            }
        }
    }
}
