public import Foundation
public import KithModel

/// One row of a query's result. Columns are read by their index.
///
/// Reading a column with the wrong type throws a ``ServerError`` with the code `internalError`, because the query and
/// the code that reads it must agree.
public struct SQLRow: Hashable, Sendable {
    /// The values, in the order of the columns.
    public let values: [SQLValue]

    /// A row of `values`.
    public init(_ values: [SQLValue]) {
        self.values = values
    }

    /// Whether the column is null.
    public func isNull(_ column: Int) -> Bool { values[column] == .null }

    /// The integer in a column.
    public func integer(_ column: Int) throws -> Int64 {
        guard case .integer(let integer) = values[column] else { throw mismatch(column, "a whole number") }
        return integer
    }

    /// The string in a column.
    public func text(_ column: Int) throws -> String {
        guard case .text(let text) = values[column] else { throw mismatch(column, "a text") }
        return text
    }

    /// The string in a column; nil if it is null.
    public func optionalText(_ column: Int) throws -> String? {
        isNull(column) ? nil : try text(column)
    }

    /// The bytes in a column.
    public func bytes(_ column: Int) throws -> Data {
        switch values[column] {
        case .bytes(let data): return data
        case .uuid(let uuid): return uuid.data
        default: throw mismatch(column, "bytes")
        }
    }

    /// The bytes in a column; nil if it is null.
    public func optionalBytes(_ column: Int) throws -> Data? {
        isNull(column) ? nil : try bytes(column)
    }

    /// The id in a column.
    public func id<Record>(_ column: Int, of kind: Record.Type = Record.self) throws -> RecordID<Record> {
        guard case .uuid(let uuid) = values[column] else { throw mismatch(column, "an identity") }
        return RecordID(uuid)
    }

    /// The id in a column; nil if it is null.
    public func optionalID<Record>(_ column: Int, of kind: Record.Type = Record.self) throws -> RecordID<Record>? {
        isNull(column) ? nil : try id(column)
    }

    /// The time in a column.
    public func time(_ column: Int) throws -> Timestamp {
        Timestamp(milliseconds: try integer(column))
    }

    /// The time in a column; nil if it is null.
    public func optionalTime(_ column: Int) throws -> Timestamp? {
        isNull(column) ? nil : try time(column)
    }

    /// The Boolean in a column.
    public func flag(_ column: Int) throws -> Bool {
        try integer(column) != 0
    }

    private func mismatch(_ column: Int, _ wanted: String) -> ServerError {
        ServerError(.internalError, "Column \(column) of an answer of the database is not \(wanted).")
    }
}
