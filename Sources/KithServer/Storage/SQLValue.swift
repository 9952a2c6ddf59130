public import Foundation
public import KithModel

/// A parameter of a statement, or a value of a row.
public enum SQLValue: Hashable, Sendable {
    /// NULL.
    case null
    /// An INTEGER.
    case integer(Int64)
    /// A TEXT.
    case text(String)
    /// A BLOB.
    case bytes(Data)
    /// A column of a row set: values of one kind, and nulls. Only a parameter is an array, and only in PostgreSQL.
    case array([SQLValue])

    /// The 16 bytes of an id.
    public static func id<Record>(_ id: RecordID<Record>) -> SQLValue { .bytes(id.uuid.data) }

    /// A time, in milliseconds since 1970.
    public static func time(_ time: Timestamp) -> SQLValue { .integer(time.milliseconds) }

    /// A time, or null.
    public static func time(_ time: Timestamp?) -> SQLValue { time.map { .time($0) } ?? .null }

    /// A Boolean, as 1 or 0.
    public static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }

    /// Bytes, or null.
    public static func bytes(_ bytes: Data?) -> SQLValue { bytes.map { .bytes($0) } ?? .null }

    /// The 16 bytes of an id, or null.
    public static func id<Record>(_ id: RecordID<Record>?) -> SQLValue { id.map { .id($0) } ?? .null }

    /// A string, or null.
    public static func text(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }
}
