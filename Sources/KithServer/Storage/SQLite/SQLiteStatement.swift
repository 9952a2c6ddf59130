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
        // SQLite would allocate a copy of each value if they did not stay in memory until the statement has run. The first
        // byte is for empty values: SQLite takes those without an address for NULL.
        let size = values.reduce(1) { $0 + $1.size }
        try withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { memory in
            defer {
                sqlite3_reset(handle)
                if !values.isEmpty { sqlite3_clear_bindings(handle) }
            }
            try bind(values, in: memory)
            try step(take)
        }
    }

    private func step(_ take: (SQLRow) throws -> Bool) throws {
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

    /// Binds the values. Their bytes are copied into `memory`.
    private func bind(_ values: [SQLValue], in memory: UnsafeMutableRawBufferPointer) throws {
        var free = memory
        func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
            free.copyMemory(from: bytes)
            let start = free.baseAddress
            free = UnsafeMutableRawBufferPointer(rebasing: free[bytes.count...])
            return start
        }
        // Without a destructor, SQLite reads the bytes where they are: `SQLITE_STATIC`, a macro that Swift does not import.
        func bindBlob(_ bytes: UnsafeRawBufferPointer, at place: Int32) -> Int32 {
            sqlite3_bind_blob64(handle, place, keep(bytes), UInt64(bytes.count), nil)
        }
        var place: Int32 = 0
        for value in values {
            place += 1
            let code =
                switch value {
                case .null: sqlite3_bind_null(handle, place)
                case .integer(let integer): sqlite3_bind_int64(handle, place, integer)
                case .text(var text):
                    text.withUTF8 { bytes in
                        let start = keep(UnsafeRawBufferPointer(bytes))?.assumingMemoryBound(to: CChar.self)
                        return sqlite3_bind_text64(
                            handle, place, start, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
                    }
                case .bytes(let data): data.withUnsafeBytes { bindBlob($0, at: place) }
                case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { bindBlob($0, at: place) }
                // SQLite has none.
                case .array: SQLITE_MISMATCH
                }
            if code != SQLITE_OK { throw error(code) }
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
            let count = Int(sqlite3_column_bytes(handle, column))
            return SQLValue(blob: UnsafeRawBufferPointer(start: start, count: count))
        default: throw ServerError(.internalError, "The database answered with a fraction; it keeps none.")
        }
    }

    // MARK: Errors

    private func error(_ code: Int32) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))), sql: statement.sql)
    }
}
