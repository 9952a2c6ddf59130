/// Decides whether writes are accepted: whether the disk has room, whether the last write succeeded, and whether the
/// database was found damaged or moved.
///
/// It reads no clock and no disk: the caller passes both values.
package struct WriteHealth: Sendable {
    /// Damage of the database.
    package enum Damage: Comparable, Sendable {
        case none
        /// Damage with which the server is still ready.
        case tolerated
        /// Damage after which the server is not ready.
        case stopping
    }

    /// How long a measurement of the disk is valid.
    package static let fresh = Duration.seconds(1)
    /// How long a successful write shows that writes succeed.
    package static let trusted = Duration.seconds(10)
    /// How long the disk counts as full after a write that has found it full, whatever is written meanwhile: a small
    /// write, such as the test write, finds room where others do not.
    package static let full = Duration.seconds(60)

    /// The part of the disk that must stay free, in percent.
    private let needed: Int
    private var lastMeasure: Duration?
    /// The part of the disk that is free; nil if it is unknown.
    private var free: Double?
    /// When something was written last, with or without success.
    private var lastWrite: Duration?
    /// Why the last write has failed; nil if it has succeeded.
    private var failure: String?
    /// When the last failure was that of a full disk; nil if it was another one.
    private var lastFull: Duration?
    /// The worst damage that was found. It stays so: other reads and writes can succeed.
    package private(set) var damage = Damage.none
    /// Whether the database file was found moved or replaced.
    package private(set) var isMoved = false

    /// Accepts writes while at least this percentage of the disk is free.
    package init(freeDisk needed: Int) { self.needed = needed }

    /// Whether the disk must be measured before ``isFull`` is read.
    package func needsMeasure(at now: Duration) -> Bool { lastMeasure.map { now - $0 >= Self.fresh } ?? true }

    /// Records the free part of the disk; nil if it is unknown.
    package mutating func measured(_ free: Double?, at now: Duration) {
        self.free = free
        lastMeasure = now
    }

    /// Whether too little of the disk is free to accept writes.
    package var isFull: Bool { free.map { $0 * 100 < Double(needed) } ?? false }

    /// Records that a write has succeeded.
    package mutating func succeeded(at now: Duration) {
        lastWrite = now
        if fullDisk(at: now) == nil { (failure, lastFull) = (nil, nil) }
    }

    /// Records that a write has failed, the reason, and whether that was a full disk.
    package mutating func failed(because reason: String, onFullDisk: Bool = false, at now: Duration) {
        (lastWrite, failure) = (now, reason)
        lastFull = onFullDisk ? now : nil
    }

    /// The reason why writes fail, while the disk counts as full because a write has found it full; nil otherwise.
    package func fullDisk(at now: Duration) -> String? {
        lastFull.flatMap { now - $0 < Self.full ? failure : nil }
    }

    /// Records that a read or write has found damage.
    ///
    /// - Returns: Whether it is worse than what was found before.
    package mutating func found(_ damage: Damage) -> Bool {
        defer { self.damage = max(self.damage, damage) }
        return damage > self.damage
    }

    /// Records that the database file was moved or replaced.
    ///
    /// - Returns: Whether it is the first time.
    package mutating func foundMoved() -> Bool {
        defer { isMoved = true }
        return !isMoved
    }

    /// Whether a test write is necessary: there was no recent write, or the last one failed.
    package func needsProbe(at now: Duration) -> Bool {
        failure != nil || (lastWrite.map { now - $0 >= Self.trusted } ?? true)
    }

    /// The reason why writes fail, for people; nil if they succeed.
    package var reason: String? {
        if isFull {
            let left = free.map { Int($0 * 100) } ?? 0
            return "The server's disk is nearly full: \(left) % of it is free, and writes need \(needed) %."
        }
        return failure
    }
}
