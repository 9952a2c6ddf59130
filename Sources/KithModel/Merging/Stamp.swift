/// The stamp of a field's edit: its time in the server's time, its sequence in the feed, and its device.
package struct Stamp: Hashable, Sendable {
    /// The time of the edit, in the server's time.
    package var time: Timestamp
    /// The sequence of the edit in the record's feed.
    package var sequence: Int64
    /// A short tag of the device. It is only used to distinguish a device's own edits from others'.
    package var device: Int64

    /// Creates a stamp with these properties.
    package init(time: Timestamp, sequence: Int64, device: Int64) {
        self.time = time
        self.sequence = sequence
        self.device = device
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
