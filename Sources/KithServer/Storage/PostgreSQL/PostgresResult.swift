import CPostgreSQL
import Foundation
import KithModel

/// The answer to one statement. It ends with the last reference.
final class PostgresResult {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit { PQclear(handle) }

    /// The failure, if the statement has failed.
    var failure: PostgresFailure? {
        switch PQresultStatus(handle) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: nil
        case PGRES_FATAL_ERROR, PGRES_NONFATAL_ERROR: PostgresFailure(handle)
        default: PostgresFailure(lost: "PostgreSQL answered in a way that was not asked for.")
        }
    }

    /// Whether it ends the answers to statements that were sent together.
    var isEnd: Bool { PQresultStatus(handle) == PGRES_PIPELINE_SYNC }

    /// What was done, such as `COMMIT`.
    var command: String { String(cString: PQcmdStatus(handle)) }

    /// The number of rows.
    var count: Int { Int(PQntuples(handle)) }

    /// A row.
    ///
    /// - Throws: ``ServerError`` with the code `internalError` if a column has a type that the server does not use.
    func row(_ index: Int) throws -> SQLRow {
        SQLRow(try types.indices.map { try value(Int32(index), Int32($0)) })
    }

    /// The types of the columns; nil for one that is not known.
    private lazy var types: [PostgresType?] = (0..<PQnfields(handle)).map {
        PostgresType(rawValue: PQftype(handle, $0))
    }

    private func value(_ row: Int32, _ column: Int32) throws -> SQLValue {
        if PQgetisnull(handle, row, column) != 0 { return .null }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(handle, row, column), count: Int(PQgetlength(handle, row, column)))
        guard let type = types[Int(column)], PQfformat(handle, column) == PostgresType.binary else {
            throw unreadable(column)
        }
        switch type {
        case .int8, .xid8: return .integer(bytes.loadUnaligned(as: Int64.self).bigEndian)
        case .int4: return .integer(Int64(bytes.loadUnaligned(as: Int32.self).bigEndian))
        case .int2: return .integer(Int64(bytes.loadUnaligned(as: Int16.self).bigEndian))
        case .oid: return .integer(Int64(bytes.loadUnaligned(as: UInt32.self).bigEndian))
        case .bool: return .flag(bytes[0] != 0)
        case .text, .varchar, .bpchar, .name: return .text(String(decoding: bytes, as: UTF8.self))
        case .bytea: return SQLValue(blob: bytes)
        case .numeric: return .integer(try PostgresNumeric.integer(bytes))
        case .void: return .null
        case .byteaArray, .textArray, .int8Array: throw unreadable(column)
        }
    }

    private func unreadable(_ column: Int32) -> ServerError {
        ServerError(
            .internalError,
            "Column \(column) of an answer of the database has a type that is not read: \(PQftype(handle, column)).")
    }
}
