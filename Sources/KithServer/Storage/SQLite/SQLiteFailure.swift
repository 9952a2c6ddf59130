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

extension DatabaseError {
    /// Whether the file is damaged.
    var isDamage: Bool { SQLiteDamage.isReported(by: resultCode.rawValue, message) }
}
