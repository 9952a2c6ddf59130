import Synchronization

/// A statement over rows. Its text has a place for each value of each row.
///
/// A statement that runs often is kept, because its texts are then composed once: one for each small number of rows,
/// and one for the last larger number. Large pushes are taken in parts of the same size.
package final class RowStatement: Sendable {
    /// The most rows of a text that is kept beside others.
    private static let fewRows = 16

    private struct Texts {
        var few: [Int: String] = [:]
        var many: (rows: Int, text: String)?
    }

    /// The number of values of a row.
    let width: Int
    private let head: String
    private let tail: String
    private let texts = Mutex(Texts())

    /// A statement that can join the row set `wanted`, which has these columns.
    package init(wanted columns: [String], _ sql: String) {
        width = columns.count
        head = "WITH wanted(\(columns.joined(separator: ", "))) AS (VALUES "
        tail = ") \(sql)"
    }

    /// A statement that inserts rows. If a row with the same `key` columns exists, its other columns are replaced.
    package init(insertInto table: String, _ columns: [String], replacing key: [String] = []) {
        width = columns.count
        head = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES "
        let others = columns.filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }
        if key.isEmpty {
            tail = ""
        } else {
            let change = others.isEmpty ? "NOTHING" : "UPDATE SET " + others.joined(separator: ", ")
            tail = " ON CONFLICT (\(key.joined(separator: ", "))) DO \(change)"
        }
    }

    /// A statement that deletes the rows of a table whose `key` columns equal one of the rows.
    package convenience init(deleteFrom table: String, _ key: [String]) {
        let columns = key.joined(separator: ", ")
        self.init(wanted: key, "DELETE FROM \(table) WHERE (\(columns)) IN (SELECT \(columns) FROM wanted)")
    }

    /// The text for this number of rows.
    func text(rows: Int) -> String {
        texts.withLock { texts in
            if let known = texts.few[rows] { return known }
            if let known = texts.many, known.rows == rows { return known.text }
            let row = "(?" + String(repeating: ", ?", count: width - 1) + ")"
            let text = head + row + String(repeating: ", " + row, count: rows - 1) + tail
            if rows <= Self.fewRows { texts.few[rows] = text } else { texts.many = (rows, text) }
            return text
        }
    }
}
