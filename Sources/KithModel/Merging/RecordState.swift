/// A record as the server holds it: its fields, and when each was edited.
package struct RecordState: Hashable, Sendable {
    /// The fields by name; none is null.
    package var fields: Fields
    /// When each field was edited.
    package var stamps: Stamps
    /// The place of the record's newest change in its feed.
    package var sequence: Int64
    /// When the record last changed, in the server's time.
    package var modified: Timestamp
    /// Whether only the memory of the record is left: a tombstone, which has no fields.
    package var isDeleted: Bool

    /// A record with these properties.
    package init(fields: Fields, stamps: Stamps, sequence: Int64, modified: Timestamp, isDeleted: Bool = false) {
        self.fields = fields
        self.stamps = stamps
        self.sequence = sequence
        self.modified = modified
        self.isDeleted = isDeleted
    }

    /// What a record is that is there before anybody writes into it: empty, and no field was ever set.
    package static let unwritten = RecordState(
        fields: [:], stamps: Stamps(common: Stamp(time: Timestamp(milliseconds: 0), sequence: 0, device: 0)),
        sequence: 0,
        modified: Timestamp(milliseconds: 0))

    /// When `field` was edited; nil if it never was.
    ///
    /// A field that is not there and has no stamp of its own was never set: the stamp that the record began with is not
    /// about it. So an earlier edit of it, made elsewhere before the record came to be, still holds.
    package func stamp(of field: String) -> Stamp? {
        stamps.own[field] ?? (fields[field] == nil ? nil : stamps.common)
    }

    /// What a deletion that arrives so leaves of a record.
    package static func tombstone(at arrival: Merge.Arrival) -> RecordState {
        RecordState(
            fields: [:], stamps: Stamps(common: arrival.stamp), sequence: arrival.sequence, modified: arrival.time,
            isDeleted: true)
    }
}

/// When a field was edited, in the server's time; as which change of the feed; and on which device.
package struct Stamp: Hashable, Sendable {
    /// When the field was edited, in the server's time.
    package var time: Timestamp
    /// The sequence of the edit in the record's feed.
    package var sequence: Int64
    /// A short tag of the device, enough to tell one's own edits from others'.
    package var device: Int64

    /// A stamp with these properties.
    package init(time: Timestamp, sequence: Int64, device: Int64) {
        self.time = time
        self.sequence = sequence
        self.device = device
    }
}

/// The stamps of a record's fields. Most fields of most records were set
/// together, so they share one stamp, and only the others have their own.
package struct Stamps: Hashable, Sendable {
    /// The stamp of the fields that have none of their own.
    package private(set) var common: Stamp
    /// The stamps that differ from the common one, by field.
    package private(set) var own: [String: Stamp]

    /// Stamps that are `common` but for those of their own.
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
