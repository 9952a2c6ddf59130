import Foundation

/// Values in JSON that are passed on as they are, without being decoded.
package struct JSONValues: Hashable, Sendable {
    /// The values, with commas between them.
    package private(set) var bytes: [UInt8] = []
    /// Where each value ends in ``bytes``.
    private var ends: [Int] = []

    package init() {}

    /// The number of values.
    package var count: Int { ends.count }

    /// Appends a value, which must be JSON.
    package mutating func append(_ json: UnsafeBufferPointer<UInt8>) {
        if !ends.isEmpty { bytes.append(UInt8(ascii: ",")) }
        bytes.append(contentsOf: json)
        ends.append(bytes.count)
    }

    /// Appends null until there are `count` values.
    package mutating func fill(to count: Int) {
        while ends.count < count {
            bytes.append(contentsOf: ends.isEmpty ? "null".utf8 : ",null".utf8)
            ends.append(bytes.count)
        }
    }

    /// The value at `index`, decoded; null if the text is no JSON.
    package subscript(index: Int) -> FieldValue {
        let start = index == 0 ? 0 : ends[index - 1] + 1
        let value = bytes[start..<ends[index]]
        return value.withUnsafeBytes { JSONReader.read($0) { try $0.value() } }
            ?? (try? JSONDecoder().decode(FieldValue.self, from: Data(value))) ?? .null
    }
}
