import CPostgreSQL
import Foundation
import KithModel

/// The values of a statement's parameters, in PostgreSQL's binary format.
struct PostgresParameters {
    /// The type of each value. PostgreSQL itself finds the type of a null.
    let types: [Oid]
    /// All values, one after the other, and a last byte, so that each value has an address.
    private let bytes: [UInt8]
    /// Where each value begins; nil for a null.
    private let starts: [Int?]
    private let lengths: [Int32]

    /// No parameters.
    static let none = PostgresParameters()

    private init() {
        types = []
        bytes = [0]
        starts = []
        lengths = []
    }

    /// The parameters with these values.
    ///
    /// - Throws: ``ServerError`` with the code `malformed` if a text contains a NUL character, and with the code
    ///   `internalError` if the elements of an array have different types.
    init(_ values: [SQLValue]) throws {
        var types: [Oid] = []
        var bytes: [UInt8] = []
        var starts: [Int?] = []
        var lengths: [Int32] = []
        bytes.reserveCapacity(values.reduce(1) { $0 + $1.size })
        types.reserveCapacity(values.count)
        starts.reserveCapacity(values.count)
        lengths.reserveCapacity(values.count)
        for value in values {
            let start = bytes.count
            let type = try Self.append(value, to: &bytes)
            types.append(type?.rawValue ?? 0)
            starts.append(type == nil ? nil : start)
            lengths.append(Int32(bytes.count - start))
        }
        bytes.append(0)
        self.types = types
        self.bytes = bytes
        self.starts = starts
        self.lengths = lengths
    }

    /// Appends a value.
    ///
    /// - Returns: Its type; nil for a null.
    private static func append(_ value: SQLValue, to bytes: inout [UInt8]) throws -> PostgresType? {
        switch value {
        case .null: return nil
        case .integer(let integer):
            append(integer, to: &bytes)
            return .int8
        case .text(let text):
            let start = bytes.count
            bytes.append(contentsOf: text.utf8)
            if bytes[start...].contains(0) {
                throw ServerError(.malformed, "A text contains a NUL character, which cannot be stored. Remove it.")
            }
            return .text
        case .bytes(let data):
            bytes.append(contentsOf: data)
            return .bytea
        case .uuid(let uuid):
            withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
            return .bytea
        case .array(let elements): return try append(elements, to: &bytes)
        }
    }

    /// Appends an array: the number of dimensions, whether there are nulls, the type of the elements, their number,
    /// the index of the first, and each element with its length, which is -1 for a null.
    ///
    /// - Returns: The type of the array. Nulls alone count as texts.
    private static func append(_ elements: [SQLValue], to bytes: inout [UInt8]) throws -> PostgresType {
        let type = elements.lazy.compactMap(PostgresType.init(of:)).first ?? .text
        guard let array = PostgresType.arrays[type] else { throw mixed }
        append(1 as Int32, to: &bytes)
        append((elements.contains(.null) ? 1 : 0) as Int32, to: &bytes)
        append(type.rawValue, to: &bytes)
        append(Int32(elements.count), to: &bytes)
        append(1 as Int32, to: &bytes)
        for element in elements {
            let place = bytes.count
            append(-1 as Int32, to: &bytes)
            let start = bytes.count
            guard let found = try append(element, to: &bytes) else { continue }
            guard found == type else { throw mixed }
            withUnsafeBytes(of: Int32(bytes.count - start).bigEndian) {
                bytes.replaceSubrange(place..<start, with: $0)
            }
        }
        return array
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private static var mixed: ServerError {
        ServerError(.internalError, "A column of a row set has values of different kinds.")
    }

    var count: Int32 { Int32(types.count) }

    /// The number of bytes of all values.
    var size: Int { bytes.count }

    /// Calls `body` with the values, their lengths and their formats, as libpq takes them.
    func withPointers<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: CChar.self).baseAddress
            let pointers = starts.map { offset in offset.flatMap { start?.advanced(by: $0) } }
            let formats = [Int32](repeating: PostgresType.binary, count: types.count)
            return body(pointers, lengths, formats)
        }
    }
}
