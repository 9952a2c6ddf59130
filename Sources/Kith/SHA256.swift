/// The SHA-256 digest of some bytes (FIPS 180-4).
///
/// This is Kith's own implementation, because no system library offers SHA-256 on both Linux and Apple's systems.
package struct SHA256: Hashable, Sendable {
    private var words = SIMD8<UInt32>(
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19)

    /// The digest of these bytes.
    package init(_ bytes: ArraySlice<UInt8>) {
        let whole = bytes.count / Self.block * Self.block
        var rest = Array(bytes.dropFirst(whole))
        rest.append(0x80)
        while rest.count % Self.block != Self.block - 8 { rest.append(0) }
        withUnsafeBytes(of: UInt64(bytes.count * 8).bigEndian) { rest.append(contentsOf: $0) }
        bytes.prefix(whole).withUnsafeBytes { add($0) }
        rest.withUnsafeBytes { add($0) }
    }

    /// The digest as 64 hexadecimal digits.
    package var hex: String { hex(64) }

    /// The first half of the digest, which is enough to identify a card.
    package var shortHex: String { hex(32) }

    private func hex(_ count: Int) -> String {
        String(unsafeUninitializedCapacity: count) { digits in
            for place in 0..<count {
                let digit = UInt8(truncatingIfNeeded: words[place / 8] >> UInt32(28 - place % 8 * 4) & 0xF)
                digits[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            return count
        }
    }

    private static let block = 64

    /// Adds whole blocks.
    private mutating func add(_ bytes: UnsafeRawBufferPointer) {
        let constants = Self.constants
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Self.block) { schedule in
            for start in stride(from: 0, to: bytes.count, by: Self.block) {
                for index in 0..<16 {
                    let word = bytes.loadUnaligned(fromByteOffset: start + 4 * index, as: UInt32.self)
                    schedule[index] = UInt32(bigEndian: word)
                }
                var index = 16
                while index < Self.block {
                    let (early, late) = (schedule[index &- 15], schedule[index &- 2])
                    let first = early.turned(7) ^ early.turned(18) ^ (early >> 3)
                    let second = late.turned(17) ^ late.turned(19) ^ (late >> 10)
                    schedule[index] = schedule[index &- 16] &+ first &+ schedule[index &- 7] &+ second
                    index &+= 1
                }
                constants.withUnsafeBufferPointer { add(UnsafeBufferPointer(schedule), $0) }
            }
        }
    }

    /// Adds the block of this schedule. The variable names are those of the standard.
    private mutating func add(_ schedule: UnsafeBufferPointer<UInt32>, _ constants: UnsafeBufferPointer<UInt32>) {
        var (a, b, c, d) = (words[0], words[1], words[2], words[3])
        var (e, f, g, h) = (words[4], words[5], words[6], words[7])
        var index = 0
        while index < Self.block {
            let sum = e.turned(6) ^ e.turned(11) ^ e.turned(25)
            let one = h &+ sum &+ ((e & f) ^ (~e & g)) &+ constants[index] &+ schedule[index]
            let two = (a.turned(2) ^ a.turned(13) ^ a.turned(22)) &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e) = (g, f, e, d &+ one)
            (d, c, b, a) = (c, b, a, one &+ two)
            index &+= 1
        }
        words &+= SIMD8(a, b, c, d, e, f, g, h)
    }

    /// The first bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]
}

extension UInt32 {
    /// Rotated to the right by this many bits.
    fileprivate func turned(_ count: UInt32) -> UInt32 { (self &>> count) | (self &<< (32 &- count)) }
}
