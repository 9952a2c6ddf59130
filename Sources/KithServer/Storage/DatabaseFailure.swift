/// The error of a database, as the cause of a ``ServerError``.
package protocol DatabaseFailure: Error {
    /// Whether writes fail until the cause is fixed: the disk is full, or the database is read-only, damaged or missing.
    var isLasting: Bool { get }
    /// Whether the database cannot be reached, so that neither reads nor writes succeed.
    var isUnreachable: Bool { get }
    /// Whether the disk has no room for what was written. Smaller writes can succeed.
    var isFullDisk: Bool { get }
    /// Whether the stored data is damaged. Other data may still be read and written.
    var isDamage: Bool { get }
    /// Whether the damage is known to be in one record.
    var isOfOneRecord: Bool { get }
}

extension DatabaseFailure {
    package var isUnreachable: Bool { false }
    package var isFullDisk: Bool { false }
    package var isDamage: Bool { false }
    package var isOfOneRecord: Bool { false }
}

extension ServerError: ReportedError {
    /// Whether the database could not be reached. The polls and the requests of this server find that too, and log it once.
    var isReported: Bool { (cause as? any DatabaseFailure)?.isUnreachable ?? false }
}

extension ServerError {
    /// Whether it shows that the stored data is damaged.
    package var isDamage: Bool { (cause as? any DatabaseFailure)?.isDamage ?? false }
}
