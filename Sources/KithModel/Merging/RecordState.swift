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

    /// The state of a record that exists before anyone writes to it: it is empty, and no field was ever set.
    package static let unwritten = RecordState(
        fields: [:], stamps: Stamps(common: Stamp(time: Timestamp(milliseconds: 0), sequence: 0, device: 0)),
        sequence: 0,
        modified: Timestamp(milliseconds: 0))

    /// The stamp of the last edit of `field`; nil if it was never set.
    ///
    /// A field without a value and without its own stamp was never set: the record's initial stamp does not apply to
    /// it. So an earlier edit of this field still counts, even if it was made elsewhere before the record was created.
    package func stamp(of field: String) -> Stamp? {
        stamps.own[field] ?? (fields[field] == nil ? nil : stamps.common)
    }

    /// The state of a record after a deletion with this arrival.
    package static func tombstone(at arrival: Merge.Arrival) -> RecordState {
        RecordState(
            fields: [:], stamps: Stamps(common: arrival.stamp), sequence: arrival.sequence, modified: arrival.time,
            isDeleted: true)
    }
}

/// The stamp of a field's edit: its time in the server's time, its sequence in the feed, and its device.
package struct Stamp: Hashable, Sendable {
    /// The time of the edit, in the server's time.
    package var time: Timestamp
    /// The sequence of the edit in the record's feed.
    package var sequence: Int64
    /// A short tag of the device, sufficient to tell a device's own edits from others'.
    package var device: Int64

    /// Creates a stamp with these properties.
    package init(time: Timestamp, sequence: Int64, device: Int64) {
        self.time = time
        self.sequence = sequence
        self.device = device
    }
}

/// The stamps of a record's fields. Most fields of a record are set together, so they share one stamp; the others have
/// their own.
package struct Stamps: Hashable, Sendable {
    /// The stamp of the fields without their own.
    package private(set) var common: Stamp
    /// The stamps that differ from the common one, by field.
    package private(set) var own: [String: Stamp]

    /// Creates stamps with a common one and those that differ.
    package init(common: Stamp, own: [String: Stamp] = [:]) {
        self.common = common
        self.own = own
    }

    /// The stamp of `field`.
    package subscript(field: String) -> Stamp {
        get { own[field] ?? common }
        set { own[field] = newValue == common ? nil : newValue }
    }
}

extension Stamp: Codable {
    /// Reads a stamp from an array of its time, sequence and device.
    package init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        time = try container.decode(Timestamp.self)
        sequence = try container.decode(Int64.self)
        device = try container.decode(Int64.self)
    }

    /// Writes the stamp as an array of its time, sequence and device.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(time)
        try container.encode(sequence)
        try container.encode(device)
    }
}

extension Stamps: Codable {
    /// Reads the stamps by field; the common one has the empty name.
    package init(from decoder: any Decoder) throws {
        var own = try decoder.singleValueContainer().decode([String: Stamp].self)
        guard let common = own.removeValue(forKey: "") else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "The common stamp is missing."))
        }
        self.init(common: common, own: own)
    }

    /// Writes the stamps by field; the common one has the empty name.
    package func encode(to encoder: any Encoder) throws {
        var all = own
        all[""] = common
        var container = encoder.singleValueContainer()
        try container.encode(all)
    }
}
