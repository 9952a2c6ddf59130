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
    /// - Throws: ``ServerError`` with the code `malformed` if a text contains a NUL character.
    init(_ values: [SQLValue]) throws {
        var types: [Oid] = []
        var bytes: [UInt8] = []
        var starts: [Int?] = []
        var lengths: [Int32] = []
        for value in values {
            let start = bytes.count
            let type: PostgresType?
            switch value {
            case .null: type = nil
            case .integer(let integer):
                type = .int8
                withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
            case .text(let text):
                type = .text
                bytes.append(contentsOf: text.utf8)
                if bytes[start...].contains(0) {
                    throw ServerError(.malformed, "A text contains a NUL character, which cannot be stored. Remove it.")
                }
            case .bytes(let data):
                type = .bytea
                bytes.append(contentsOf: data)
            }
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
