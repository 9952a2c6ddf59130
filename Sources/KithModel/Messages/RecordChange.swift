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
}
