import GRDB
import KithModel

/// The error message of SQLite without the statement, which may contain people's data and must not be logged.
package struct SQLiteFailure: DatabaseFailure, Hashable, CustomStringConvertible {
    /// SQLite's extended result code.
    package let code: Int32
    package let kind: DatabaseFailureKind
    /// SQLite's own words.
    package let description: String

    init(_ error: DatabaseError) {
        code = error.extendedResultCode.rawValue
        kind = DatabaseFailureKind(error)
        description = "SQLite \(code): \(error.message ?? "no message")"
    }
}

extension SQLiteFailure {
    /// Whether a write has found no room.
    var hasNoRoom: Bool { resultCode == .SQLITE_FULL }

    /// Whether another connection has locked the database.
    var isLocked: Bool { resultCode == .SQLITE_BUSY || resultCode == .SQLITE_LOCKED }

    /// The kind of the error. It is the lowest byte of the code.
    private var resultCode: ResultCode { ResultCode(rawValue: code & 0xFF) }
}

extension DatabaseFailureKind {
    fileprivate init(_ error: DatabaseError) {
        self =
            switch error.resultCode {
            case .SQLITE_FULL: .fullDisk(isReachable: true)
            // Without room for the index of the log, SQLite cannot open a file.
            case _ where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: .fullDisk(isReachable: true)
            case .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM: .unwritable
            case _ where error.isDamage: .damagedFile
            default: .passing
            }
    }
}

extension DatabaseError {
    /// Whether the file is damaged.
    var isDamage: Bool { SQLiteDamage.isReported(by: resultCode.rawValue, message) }
}

extension ServerError {
    /// The error as a ``ServerError`` if it comes from SQLite; any other error is returned unchanged.
    static func translated(_ error: any Error) -> any Error {
        (error as? DatabaseError).map { ServerError($0) } ?? error
    }

    init(_ error: DatabaseError) {
        let cause = SQLiteFailure(error)
        switch cause.kind {
        case .fullDisk:
            self.init(
                .busy, "The server's disk is full. Nothing was changed; try again later.", retryAfter: .seconds(60),
                cause: cause)
        case .damagedFile:
            self.init(
                .busy,
                "The server's database is damaged. Nothing was changed; whoever runs the server has to repair it.",
                retryAfter: .seconds(60), cause: cause)
        case .unwritable:
            self.init(
                .busy, "The database cannot be reached. Nothing was changed; try again later.",
                retryAfter: .seconds(30), cause: cause)
        case _ where cause.isLocked || error.resultCode == .SQLITE_INTERRUPT:
            self.init(
                .busy, "The database is locked. Nothing was changed; try again soon.", retryAfter: .seconds(1),
                cause: cause)
        default:
            self.init(.internalError, "The database refused a statement.", cause: cause)
        }
    }
}
