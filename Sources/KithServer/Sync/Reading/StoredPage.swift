import Foundation
package import KithModel

/// Rows of live records, gathered into the columns of a page. The values of their fields are passed on as stored.
package struct StoredPage {
    private var columns: [Columns] = []
    /// The id of the last record.
    package private(set) var last: RecordID<Never>?

    /// A page without records.
    package init() {}

    /// Appends a row of ``RecordChange/columns``.
    package mutating func append(_ row: SQLRow) throws {
        let collection = try row.text(2)
        // There are at most a few collections, and mostly one.
        let place = columns.firstIndex { $0.collection == collection } ?? columns.count
        if place == columns.count { columns.append(Columns(collection: collection)) }
        try columns[place].append(row)
        last = try row.id(1)
    }

    /// The page of these records.
    package func page(after: RecordID<Never>?, through: RecordID<Never>?) throws -> RecordPage {
        RecordPage(
            after: after, through: through,
            columns: try columns.map { try $0.columns() }.sorted { $0.collection < $1.collection })
    }
}

/// The records of one collection.
private struct Columns {
    let collection: String
    private var ids = Data()
    private var sequences: [Int64] = []
    private var modified: [Timestamp] = []
    /// The names of the fields, as stored.
    private var names: [[UInt8]] = []
    /// The values of each.
    private var values: [JSONValues] = []

    init(collection: String) { self.collection = collection }

    mutating func append(_ row: SQLRow) throws {
        ids.append(try row.bytes(1))
        let count = sequences.count
        sequences.append(try row.integer(3))
        modified.append(try row.time(4))
        var text = try row.text(5)
        do {
            try text.withUTF8 { bytes in
                var members = try StoredMembers(bytes)
                var expected = 0
                while let (name, value) = try members.next() {
                    let place = place(of: UnsafeBufferPointer(rebasing: bytes[name]), expected)
                    values[place].fill(to: count)
                    values[place].append(UnsafeBufferPointer(rebasing: bytes[value]))
                    expected = place + 1
                }
            }
        } catch is StoredMembers.Unreadable {
            throw DamagedRecord(row).serverError
        }
    }

    /// The column of a name. Most records have the same fields in the same order, so it is probably the `expected` one.
    private mutating func place(of name: UnsafeBufferPointer<UInt8>, _ expected: Int) -> Int {
        func isName(_ place: Int) -> Bool {
            names[place].withUnsafeBufferPointer { known in
                guard known.count == name.count, let start = known.baseAddress, let other = name.baseAddress else {
                    return known.isEmpty && name.isEmpty
                }
                return memcmp(start, other, known.count) == 0
            }
        }
        if expected < names.count, isName(expected) { return expected }
        if let place = names.indices.first(where: isName) { return place }
        names.append(Array(name))
        values.append(JSONValues())
        return names.count - 1
    }

    func columns() throws -> RecordPage.Columns {
        var fields: [String: RecordPage.Column] = [:]
        for (name, values) in zip(names, values) {
            var whole = values
            whole.fill(to: sequences.count)
            fields[try StoredText.name(name)] = .json(whole)
        }
        return RecordPage.Columns(
            collection: RecordCollection(rawValue: collection), ids: ids, sequences: sequences, modified: modified,
            fields: fields)
    }
}
