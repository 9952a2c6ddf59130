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
    /// A BLOB. The rows of a query have it only for other numbers of bytes than 16.
    case bytes(Data)
    /// A BLOB of 16 bytes, such as an id. It allocates no memory, which `Data` does twice.
    case uuid(UUID)
    /// A column of a row set: values of one kind, and nulls. Only a parameter is an array, and only in PostgreSQL.
    case array([SQLValue])

    /// A BLOB of these bytes.
    init(blob bytes: UnsafeRawBufferPointer) {
        self =
            if bytes.count == 16 {
                .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
            } else {
                .bytes(Data(bytes))
            }
    }

    /// The number of bytes that the value needs as a parameter.
    var size: Int {
        switch self {
        case .null: 0
        case .integer: 8
        case .text(let text): text.utf8.count
        case .bytes(let data): data.count
        case .uuid: 16
        // PostgreSQL has five numbers before the elements, and a length before each.
        case .array(let elements): elements.reduce(20) { $0 + 4 + $1.size }
        }
    }

    /// An id as text, or the bytes of a damaged one in the form of SQL; nil for any other value.
    var idText: String? {
        switch self {
        case .uuid(let uuid):
            return uuid.text
        case .bytes(let data):
            let digits = data.prefix(64).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            return "x'\(digits.joined())'"
        case .null, .integer, .text, .array:
            return nil
        }
    }

    /// The 16 bytes of an id.
    public static func id<Record>(_ id: RecordID<Record>) -> SQLValue { .uuid(id.uuid) }

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
