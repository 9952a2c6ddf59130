package import GRDB

extension KithError {
    /// An error of a database as a ``KithError``; any other error as it is.
    package static func translated(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        return KithError(error)
    }

    package init(_ error: DatabaseError) {
        switch error.resultCode {
        case .SQLITE_FULL:
            self.init(
                .diskFull, "The disk is full, so nothing was saved. Free some space and try again.", cause: error)
        case _ where error.isOfFullDisk:
            self.init(
                .diskFull, "The disk takes no more, so nothing was saved. Free some space and try again.", cause: error)
        case _ where error.isDamage:
            self.init(
                .replicaBroken, "The local data is damaged. Restart: it is kept aside, and filled again by the server.",
                cause: error)
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY:
            self.init(
                .database, "The local data cannot be opened for writing. Does its folder belong to this user?",
                cause: error)
        default:
            self.init(.database, "The local database failed: \(error.message ?? "no reason given").", cause: error)
        }
    }
}
