package import KithModel

/// A record as the replica holds it: the server's state with the device's unsent edits on top.
package struct StoredRecord: Hashable, Sendable {
    package var fields: Fields
    /// The sequence of the server's state; 0 if the server has not sent the record.
    package var sequence: Int64
    package var modified: Timestamp
    /// Whether its removal waits for confirmation. Getters do not return such a record.
    package var isRemoved: Bool

    package init(fields: Fields, sequence: Int64, modified: Timestamp, isRemoved: Bool = false) {
        self.fields = fields
        self.sequence = sequence
        self.modified = modified
        self.isRemoved = isRemoved
    }

    /// The fields for a copy of the record: all fields that devices write, with sums limited to their valid range.
    func copied(_ schema: Schema) -> Fields {
        var copy: Fields = [:]
        for (name, value) in fields where schema[name]?.writer != .server && value != .null {
            copy[name] = schema[name]?.shown(value) ?? value
        }
        return copy
    }
}

extension RecordPage.Columns {
    /// The record of one row.
    func record(at index: Int) -> StoredRecord {
        StoredRecord(
            fields: fields.mapValues { $0[index] }.filter { $0.value != .null }, sequence: sequences[index],
            modified: modified[index])
    }
}
