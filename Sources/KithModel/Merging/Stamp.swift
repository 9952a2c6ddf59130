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
