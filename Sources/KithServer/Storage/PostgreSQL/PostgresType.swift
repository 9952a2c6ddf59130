import CPostgreSQL

/// The types of PostgreSQL that the driver reads or writes, with their numbers.
enum PostgresType: Oid {
    case bool = 16
    case bytea = 17
    case name = 19
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case oid = 26
    case byteaArray = 1001
    case textArray = 1009
    case int8Array = 1016
    case bpchar = 1042
    case varchar = 1043
    case numeric = 1700
    /// The result of a function that returns nothing, such as one that takes a lock.
    case void = 2278
    case xid8 = 5069

    /// libpq's number of the binary format.
    static let binary: Int32 = 1

    /// The types of arrays, by those of their elements. The driver only writes them.
    static let arrays: [PostgresType: PostgresType] = [.bytea: .byteaArray, .text: .textArray, .int8: .int8Array]

    /// The type of a parameter with this value; nil for a null, whose type PostgreSQL finds, and for an array.
    init?(of value: SQLValue) {
        switch value {
        case .null, .array: return nil
        case .integer: self = .int8
        case .text: self = .text
        case .bytes, .uuid: self = .bytea
        }
    }
}
