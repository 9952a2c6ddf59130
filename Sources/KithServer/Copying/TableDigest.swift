package import Foundation
import KithModel

/// The number of a table's rows, and a hash over them in the order of their keys.
///
/// Each row is hashed with the hash of the rows before it. So the digest of the first rows of a table is also that of a
/// table that has only them.
package struct TableDigest: Hashable, Sendable {
    package private(set) var rows = 0
    /// A SHA-256; empty without rows.
    package private(set) var hash = Data()

    package init() {}

    /// Adds the next row.
    package mutating func add(_ row: SQLRow) {
        var bytes = hash
        for value in row.values { Self.append(value, to: &bytes) }
        hash = Secret.sha256(bytes)
        rows += 1
    }

    private static func append(_ value: SQLValue, to bytes: inout Data) {
        switch value {
        case .null:
            bytes.append(0)
        case .integer(let integer):
            bytes.append(1)
            append(UInt64(bitPattern: integer), to: &bytes)
        case .text(let text):
            bytes.append(2)
            append(UInt64(text.utf8.count), to: &bytes)
            bytes.append(contentsOf: text.utf8)
        case .bytes(let data):
            bytes.append(3)
            append(UInt64(data.count), to: &bytes)
            bytes.append(data)
        case .uuid(let uuid): append(.bytes(uuid.data), to: &bytes)
        case .array(let values):
            bytes.append(4)
            append(UInt64(values.count), to: &bytes)
            for value in values { append(value, to: &bytes) }
        }
    }

    private static func append(_ number: UInt64, to bytes: inout Data) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
