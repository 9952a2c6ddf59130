public import Foundation
public import KithModel

/// A value on its way into or out of the database.
public enum SQLValue: Hashable, Sendable {
    /// NULL.
    case null
    /// An INTEGER.
    case integer(Int64)
    /// A TEXT.
    case text(String)
    /// A BLOB.
    case bytes(Data)

    /// The sixteen bytes of an identity.
    public static func id<Record>(_ id: RecordID<Record>) -> SQLValue { .bytes(id.uuid.data) }

    /// A moment, in milliseconds since 1970.
    public static func time(_ time: Timestamp) -> SQLValue { .integer(time.milliseconds) }

    /// A moment, or null.
    public static func time(_ time: Timestamp?) -> SQLValue { time.map { .time($0) } ?? .null }

    /// A truth value, as 1 or 0.
    public static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }

    /// A text, or null.
    public static func text(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }
}

/// One row of an answer. Columns are read by their place, counted from 0.
///
/// Reading a column as what it is not throws a ``ServerError`` with the code
/// `internal`: the query and its reader stand side by side and must agree.
public struct SQLRow: Hashable, Sendable {
    /// The values, in the order of the query's columns.
    public let values: [SQLValue]

    /// A row of these values.
    public init(_ values: [SQLValue]) {
        self.values = values
    }

    /// Whether the column has no value.
    public func isNull(_ column: Int) -> Bool { values[column] == .null }

    /// The whole number in a column.
    public func integer(_ column: Int) throws -> Int64 {
        guard case .integer(let integer) = values[column] else { throw mismatch(column, "a whole number") }
        return integer
    }

    /// The text in a column.
    public func text(_ column: Int) throws -> String {
        guard case .text(let text) = values[column] else { throw mismatch(column, "a text") }
        return text
    }

    /// The text in a column, or nil if it has none.
    public func optionalText(_ column: Int) throws -> String? {
        isNull(column) ? nil : try text(column)
    }

    /// The bytes in a column.
    public func bytes(_ column: Int) throws -> Data {
        guard case .bytes(let data) = values[column] else { throw mismatch(column, "bytes") }
        return data
    }

    /// The identity in a column.
    public func id<Record>(_ column: Int, of kind: Record.Type = Record.self) throws -> RecordID<Record> {
        guard case .bytes(let data) = values[column], let uuid = UUID(bytes: data) else {
            throw mismatch(column, "an identity")
        }
        return RecordID(uuid)
    }

    /// The moment in a column.
    public func time(_ column: Int) throws -> Timestamp {
        Timestamp(milliseconds: try integer(column))
    }

    /// The moment in a column, or nil if it has none.
    public func optionalTime(_ column: Int) throws -> Timestamp? {
        isNull(column) ? nil : try time(column)
    }

    /// The truth value in a column.
    public func flag(_ column: Int) throws -> Bool {
        try integer(column) != 0
    }

    private func mismatch(_ column: Int, _ wanted: String) -> ServerError {
        ServerError(.internalError, "Column \(column) of an answer of the database is not \(wanted).")
    }
}
