import GRDB
import KithModel

/// The error message of SQLite without the statement, which may contain people's data and must not be logged.
package struct SQLiteFailure: DatabaseFailure, Hashable, CustomStringConvertible {
    /// SQLite's extended result code.
    package let code: Int32
    /// Whether writes fail until the cause is fixed: the disk is full, read-only, damaged or missing.
    package let isLasting: Bool
    /// Whether the disk is full.
    package let isFullDisk: Bool
    /// Whether the file is damaged.
    package let isDamage: Bool
    /// SQLite's own words.
    package let description: String

    init(_ error: DatabaseError) {
        code = error.extendedResultCode.rawValue
        // Without room for the index of the log, SQLite cannot open a file.
        isFullDisk = error.resultCode == .SQLITE_FULL || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE
        isDamage = error.isDamage
        isLasting =
            switch error.resultCode {
            case .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM: true
            default: error.isDamage
            }
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
        switch error.resultCode {
        case _ where cause.isFullDisk:
            self.init(
                .busy, "The server's disk is full. Nothing was changed; try again later.", retryAfter: .seconds(60),
                cause: cause)
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_INTERRUPT:
            self.init(
                .busy, "The database is locked. Nothing was changed; try again soon.", retryAfter: .seconds(1),
                cause: cause)
        case _ where error.isDamage:
            self.init(
                .busy,
                "The server's database is damaged. Nothing was changed; whoever runs the server has to repair it.",
                retryAfter: .seconds(60), cause: cause)
        case .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM:
            self.init(
                .busy, "The database cannot be reached. Nothing was changed; try again later.",
                retryAfter: .seconds(30), cause: cause)
        default:
            self.init(.internalError, "The database refused a statement.", cause: cause)
        }
    }
}
