import Foundation
import KithModel

/// The bytes of a token. They are appended at the end, and read from the beginning.
struct TokenBytes {
    private var bytes: ArraySlice<UInt8> = []

    init() {}

    /// The bytes of `token`; nil if it is not Base64url.
    init?(_ token: SyncToken) {
        guard let bytes = [UInt8](base64URL: token.rawValue) else { return nil }
        self.bytes = bytes[...]
    }

    var token: SyncToken { SyncToken(rawValue: bytes.base64URL) }
    var isEmpty: Bool { bytes.isEmpty }
    var first: UInt8? { bytes.first }

    // MARK: Appending

    mutating func append(byte: UInt8) { bytes.append(byte) }

    mutating func append(id: UUID) { bytes += id.data }

    /// Appends seven bits per byte, the lowest first. The eighth bit says that more bytes follow.
    mutating func append(number: Int64) {
        var rest = UInt64(bitPattern: number)
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func append(text: String) {
        append(number: Int64(text.utf8.count))
        bytes += text.utf8
    }

    /// Appends an epoch: a zero and the sixteen bytes that it stands for, or any other text as it is.
    mutating func append(epoch: String) {
        guard let id = Data(base64URL: epoch).flatMap({ UUID(bytes: $0) }) else { return append(text: epoch) }
        append(number: 0)
        append(id: id)
    }

    // MARK: Reading

    mutating func byte() -> UInt8? { bytes.popFirst() }

    mutating func id() -> UUID? {
        defer { bytes = bytes.dropFirst(16) }
        return UUID(bytes: bytes.prefix(16))
    }

    mutating func number() -> Int64? {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 63, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return Int64(number) }
        }
        return nil
    }

    mutating func text() -> String? {
        guard let count = number(), count <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(Int(count)) }
        return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
    }

    mutating func epoch() -> String? {
        guard let text = text() else { return nil }
        return text.isEmpty ? id()?.data.base64URL : text
    }
}
