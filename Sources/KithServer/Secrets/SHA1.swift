package import Foundation

/// SHA-1 (RFC 3174), for the signatures of SMS providers. libsodium does not have it, because it is broken as a hash;
/// as part of HMAC it is not. Use SHA-256 for everything else.
package enum SHA1 {
    /// The hash of these bytes.
    package static func hash(_ message: Data) -> Data {
        var words: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var bytes = Array(message) + [0x80]
        bytes += [UInt8](repeating: 0, count: (120 - bytes.count % 64) % 64)
        bytes += withUnsafeBytes(of: (UInt64(message.count) * 8).bigEndian, Array.init)
        for start in stride(from: 0, to: bytes.count, by: 64) { add(bytes[start..<start + 64], to: &words) }
        return Data(words.flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) })
    }

    /// The HMAC of these bytes (RFC 2104).
    package static func hmac(_ message: Data, key: Data) -> Data {
        let short = Array(key.count > 64 ? hash(key) : key)
        let padded = short + [UInt8](repeating: 0, count: 64 - short.count)
        return hash(Data(padded.map { $0 ^ 0x5C }) + hash(Data(padded.map { $0 ^ 0x36 }) + message))
    }

    private static func add(_ block: ArraySlice<UInt8>, to words: inout [UInt32]) {
        var schedule = [UInt32](repeating: 0, count: 80)
        for (index, byte) in block.enumerated() { schedule[index / 4] = schedule[index / 4] << 8 | UInt32(byte) }
        for index in 16..<80 {
            let mixed = schedule[index - 3] ^ schedule[index - 8] ^ schedule[index - 14] ^ schedule[index - 16]
            schedule[index] = rotated(mixed, 1)
        }
        var (a, b, c, d, e) = (words[0], words[1], words[2], words[3], words[4])
        for index in 0..<80 {
            let (mixed, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = rotated(a, 5) &+ mixed &+ e &+ constant &+ schedule[index]
            (a, b, c, d, e) = (next, a, rotated(b, 30), c, d)
        }
        for (index, word) in [a, b, c, d, e].enumerated() { words[index] &+= word }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
}
