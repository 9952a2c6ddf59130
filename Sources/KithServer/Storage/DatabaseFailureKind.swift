/// What a ``DatabaseFailure`` says about the next reads and writes.
package enum DatabaseFailureKind: Hashable, Sendable {
    /// Only this attempt has failed. The next one may succeed.
    case passing
    /// The database cannot be reached: neither reads nor writes succeed. Unless that is lasting, the next attempt, on a new
    /// connection, may succeed.
    case unreachable(isLasting: Bool)
    /// Writes fail until the cause is fixed: the database is read-only or missing, for example.
    case unwritable
    /// The disk has no room for what was written. Smaller writes can succeed, unless the database cannot be reached either.
    case fullDisk(isReachable: Bool)
    /// The database file was moved or replaced.
    case moved
    /// The database file is damaged. Other data may still be read and written.
    case damagedFile
    /// One stored record is damaged.
    case damagedRecord

    /// Whether writes fail until the cause is fixed.
    package var isLasting: Bool {
        switch self {
        case .passing, .damagedRecord: false
        case .unreachable(let isLasting): isLasting
        case .unwritable, .fullDisk, .moved, .damagedFile: true
        }
    }

    /// Whether the database cannot be reached, so that neither reads nor writes succeed.
    package var isUnreachable: Bool {
        switch self {
        case .unreachable: true
        case .fullDisk(let isReachable): !isReachable
        case .passing, .unwritable, .moved, .damagedFile, .damagedRecord: false
        }
    }

    /// Whether the disk has no room for what was written.
    package var isFullDisk: Bool { if case .fullDisk = self { true } else { false } }

    /// Whether the stored data is damaged.
    package var isDamage: Bool { self == .damagedFile || self == .damagedRecord }
}
