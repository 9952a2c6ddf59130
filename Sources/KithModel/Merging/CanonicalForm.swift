/// A unique notation for values: equal values have equal bytes.
///
/// It is JSON without spaces, with keys sorted by their UTF-8 bytes, integers in decimal, and escapes only for `"`, `\`
/// and control characters. For the values that Kith uses this is the form of RFC 8785. Null fields of a record must be
/// removed first.
package enum CanonicalForm {
    /// The canonical form of one value.
    package static func text(_ value: FieldValue) -> String {
        var json = JSONWriter()
        json.value(value)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// The canonical form of a record's fields. Null fields are not removed.
    package static func text(_ fields: Fields) -> String {
        text(.object(fields))
    }

    /// One live record as a line, for comparisons between replicas and server.
    package static func line(
        collection: RecordCollection, id: RecordID<Never>, sequence: Int64, modified: Timestamp, fields: Fields
    ) -> String {
        text(
            .object([
                "collection": .text(collection.rawValue), "id": .text(id.description), "sequence": .integer(sequence),
                "modified": .integer(modified.milliseconds), "fields": .object(fields.filter { $0.value != .null }),
            ]))
    }
}
