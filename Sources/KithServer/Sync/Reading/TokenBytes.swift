import Foundation
import KithModel

/// The bytes of a token. They are appended at the end, and read from the beginning.
struct TokenBytes {
    private var bytes: [UInt8]
    /// The number of bytes that were read.
    private var place = 0

    init() {
        bytes = []
        bytes.reserveCapacity(32)
    }

    /// The bytes of `token`; nil if it is not Base64url.
    init?(_ token: SyncToken) {
        guard let bytes = [UInt8](base64URL: token.rawValue) else { return nil }
        self.bytes = bytes
    }

    var token: SyncToken { SyncToken(rawValue: bytes.base64URL) }
    /// Whether all bytes were read.
    var isEmpty: Bool { place == bytes.count }

    // MARK: Appending

    mutating func append(byte: UInt8) { bytes.append(byte) }

    mutating func append(id: UUID) { withUnsafeBytes(of: id.uuid) { bytes.append(contentsOf: $0) } }

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
        guard let id = [UInt8](base64URL: epoch), id.count == 16 else { return append(text: epoch) }
        append(number: 0)
        bytes += id
    }

    // MARK: Reading

    mutating func byte() -> UInt8? {
        if isEmpty { return nil }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func id() -> UUID? { next(16).flatMap { UUID(bytes: $0) } }

    mutating func number() -> Int64? {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 63, by: 7) {
            guard let byte = byte() else { return nil }
            number |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return Int64(number) }
        }
        return nil
    }

    mutating func text() -> String? {
        number().flatMap { next($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func epoch() -> String? {
        guard let count = number() else { return nil }
        return count == 0 ? next(16)?.base64URL : next(count).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The next bytes; nil if there are fewer.
    private mutating func next(_ count: Int64) -> ArraySlice<UInt8>? {
        guard count <= Int64(bytes.count - place) else { return nil }
        defer { place += Int(count) }
        return bytes[place..<place + Int(count)]
    }
}
