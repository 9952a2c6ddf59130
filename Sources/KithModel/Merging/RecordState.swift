/// A record on the server: its fields, and the time of each field's last edit.
package struct RecordState: Hashable, Sendable {
    /// The fields by name; none is null.
    package var fields: Fields
    /// The stamp of each field's last edit.
    package var stamps: Stamps
    /// The sequence of the record's latest change in its feed.
    package var sequence: Int64
    /// The time of the record's last change, in the server's time.
    package var modified: Timestamp
    /// Whether the record is a tombstone, which has no fields.
    package var isDeleted: Bool

    /// Creates a record with these properties.
    package init(fields: Fields, stamps: Stamps, sequence: Int64, modified: Timestamp, isDeleted: Bool = false) {
        self.fields = fields
        self.stamps = stamps
        self.sequence = sequence
        self.modified = modified
        self.isDeleted = isDeleted
    }

    /// The state of a record that exists before anyone has written to it. It is empty, and no field was ever set.
    package static let unwritten = RecordState(
        fields: [:], stamps: Stamps(common: Stamp(time: Timestamp(milliseconds: 0), sequence: 0, device: 0)),
        sequence: 0,
        modified: Timestamp(milliseconds: 0))

    /// The stamp of the last edit of `field`; nil if it was never set.
    ///
    /// A field without a value and without its own stamp was never set, so the record's common stamp does not apply to
    /// it. Therefore an edit of this field counts even if it was made elsewhere before the record was created.
    package func stamp(of field: String) -> Stamp? {
        stamps.own[field] ?? (fields[field] == nil ? nil : stamps.common)
    }

    /// The state of a record after a deletion with this arrival.
    package static func tombstone(at arrival: Stamp) -> RecordState {
        RecordState(
            fields: [:], stamps: Stamps(common: arrival), sequence: arrival.sequence, modified: arrival.time,
            isDeleted: true)
    }
}
