/// Whether writes are taken: whether the disk has room, and whether the last write succeeded.
///
/// It reads no clock and no disk: both are handed in.
package struct WriteHealth: Sendable {
    /// How long a measurement of the disk holds.
    package static let fresh = Duration.seconds(1)
    /// How long a successful write says that writes succeed.
    package static let trusted = Duration.seconds(10)

    /// Percent of the disk that stay free.
    private let needed: Int
    private var measured: Duration?
    private var free: Double?
    private var wrote: Duration?
    private var failure: String?

    /// Writes are taken while so many percent of the disk are free.
    package init(freeDisk needed: Int) { self.needed = needed }

    /// Whether the disk is to be measured before ``isFull`` is asked.
    package func needsMeasure(at now: Duration) -> Bool { measured.map { now - $0 >= Self.fresh } ?? true }

    /// Notes which part of the disk is free; nil where nobody can tell.
    package mutating func measured(_ free: Double?, at now: Duration) {
        self.free = free
        measured = now
    }

    /// Whether too little of the disk is free to take writes.
    package var isFull: Bool { free.map { $0 * 100 < Double(needed) } ?? false }

    /// Notes how a write went: nil if it succeeded, else why it failed.
    package mutating func wrote(_ failure: String?, at now: Duration) {
        self.failure = failure
        wrote = now
    }

    /// Whether only a write can tell if writes succeed: none was tried of late, or the last one failed.
    package func needsProbe(at now: Duration) -> Bool {
        failure != nil || (wrote.map { now - $0 >= Self.trusted } ?? true)
    }

    /// Why writes fail, for people; nil if they do not.
    package var reason: String? {
        if isFull {
            let left = free.map { Int($0 * 100) } ?? 0
            return "The server's disk is nearly full: \(left) % of it is free, and writes need \(needed) %."
        }
        return failure
    }
}
