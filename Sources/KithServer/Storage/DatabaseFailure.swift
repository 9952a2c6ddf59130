/// The error of a database, as the cause of a ``ServerError``.
package protocol DatabaseFailure: Error {
    /// What it says about the next reads and writes.
    var kind: DatabaseFailureKind { get }
}

extension ServerError: ReportedError {
    /// Whether the database could not be reached. The polls and the requests of this server find that too, and log it once.
    var isReported: Bool { (cause as? any DatabaseFailure)?.kind.isUnreachable ?? false }
}

extension ServerError {
    /// Whether it shows that the stored data is damaged.
    package var isDamage: Bool { (cause as? any DatabaseFailure)?.kind.isDamage ?? false }
}
