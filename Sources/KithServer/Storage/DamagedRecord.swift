import KithModel

/// A stored value that no program has written: the database is damaged, although it can read the row.
///
/// It does not quote the value, which can be what somebody has written.
struct DamagedRecord: DatabaseFailure, Hashable, CustomStringConvertible {
    var isLasting: Bool { false }
    var isDamage: Bool { true }

    var description: String { "A stored record cannot be read" }

    /// The error for the caller.
    var serverError: ServerError {
        ServerError(
            .busy,
            "A stored record is damaged. Nothing was changed; whoever runs the server has to restore a backup.",
            retryAfter: .seconds(60), cause: self)
    }
}
