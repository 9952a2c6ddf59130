/// The current state of one record in a message.
package struct RecordChange: Hashable, Sendable, Codable {
    /// The record's collection.
    package var collection: RecordCollection
    /// The record's identity.
    package var id: RecordID<Never>
    /// The record's sequence; 0 if there is no such record.
    package var sequence: Int64
    /// The time of the record's last change, in the server's time.
    package var modified: Timestamp
    /// The fields; nil if the record is deleted or does not exist.
    package var fields: Fields?

    /// Creates a change with these properties.
    package init(
        collection: RecordCollection, id: RecordID<Never>, sequence: Int64, modified: Timestamp, fields: Fields?
    ) {
        self.collection = collection
        self.id = id
        self.sequence = sequence
        self.modified = modified
        self.fields = fields
    }

    // MARK: JSON

    /// Reads a change.
    init(_ reader: inout JSONReader) throws {
        var (collection, id): (String?, RecordID<Never>?)
        var (sequence, modified, fields): (Int64?, Int64?, Fields?)
        try reader.object { reader, name in
            switch name {
            case "collection": try reader.once(&collection) { try $0.text() }
            case "id": try reader.once(&id) { try $0.id() }
            case "sequence": try reader.once(&sequence) { try $0.integer() }
            case "modified": try reader.once(&modified) { try $0.integer() }
            case "fields": try reader.once(&fields) { try $0.fields() }
            default: try reader.skip()
            }
        }
        self.init(
            collection: RecordCollection(rawValue: try collection.orRefuse()), id: try id.orRefuse(),
            sequence: try sequence.orRefuse(), modified: Timestamp(milliseconds: try modified.orRefuse()),
            fields: fields)
    }

    /// Writes a change.
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("collection") { $0.text(collection.rawValue) }
            json.member("id") { $0.id(id) }
            json.member("sequence") { $0.integer(sequence) }
            json.member("modified") { $0.integer(modified.milliseconds) }
            if let fields { json.member("fields") { $0.fields(fields) } }
        }
    }
}
