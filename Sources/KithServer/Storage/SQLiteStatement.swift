import Foundation
import GRDB
import GRDBSQLite
import KithModel

/// A statement that GRDB has prepared, run through SQLite's C API: GRDB's own arguments and rows take longer than most
/// statements of a round.
struct SQLiteStatement {
    private let statement: Statement
    private let handle: OpaquePointer

    init(_ statement: Statement) {
        self.statement = statement
        handle = statement.sqliteStatement
    }

    /// Whether it has begun, and not ended.
    var isRunning: Bool { sqlite3_stmt_busy(handle) != 0 }

    /// Runs the statement.
    ///
    /// - Parameters:
    ///   - values: The values of its parameters.
    ///   - take: Takes each row, and returns whether another one is wanted.
    /// - Throws: `DatabaseError`, or what `take` throws.
    func run(_ values: [SQLValue], _ take: (SQLRow) throws -> Bool) throws {
        guard sqlite3_bind_parameter_count(handle) == values.count else {
            throw ServerError(.internalError, "A statement has another number of parameters than values.")
        }
        defer {
            sqlite3_reset(handle)
            if !values.isEmpty { sqlite3_clear_bindings(handle) }
        }
        var place: Int32 = 0
        for value in values {
            place += 1
            try check(bind(value, at: place))
        }
        while true {
            let code = sqlite3_step(handle)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw error(code) }
            if try !take(row()) { return }
        }
    }

    private func row() throws -> SQLRow {
        let count = sqlite3_column_count(handle)
        var values: [SQLValue] = []
        values.reserveCapacity(Int(count))
        for column in 0..<count { values.append(try value(at: column)) }
        return SQLRow(values)
    }

    // MARK: Values

    /// `SQLITE_TRANSIENT`, a macro that Swift does not import: SQLite copies the value.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let integer): return sqlite3_bind_int64(handle, index, integer)
        case .text(var text):
            return text.withUTF8 { bytes in
                // Without an address, SQLite would bind NULL.
                guard let start = bytes.baseAddress, !bytes.isEmpty else {
                    return sqlite3_bind_text(handle, index, "", 0, Self.copied)
                }
                return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    sqlite3_bind_text64(
                        handle, index, $0, UInt64(bytes.count), Self.copied, UInt8(SQLITE_UTF8))
                }
            }
        case .bytes(let data):
            return data.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress, !bytes.isEmpty else {
                    return sqlite3_bind_zeroblob(handle, index, 0)
                }
                return sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), Self.copied)
            }
        // SQLite has none.
        case .array: return SQLITE_MISMATCH
        }
    }

    private func value(at column: Int32) throws -> SQLValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_TEXT:
            // The length is that of the text only after SQLite has converted the value into text.
            let start = sqlite3_column_text(handle, column)
            let count = Int(sqlite3_column_bytes(handle, column))
            return .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            guard let start = sqlite3_column_blob(handle, column) else { return .bytes(Data()) }
            return .bytes(Data(bytes: start, count: Int(sqlite3_column_bytes(handle, column))))
        default: throw ServerError(.internalError, "The database answered with a fraction; it keeps none.")
        }
    }

    // MARK: Errors

    private func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw error(code) }
    }

    private func error(_ code: Int32) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))), sql: statement.sql)
    }
}
