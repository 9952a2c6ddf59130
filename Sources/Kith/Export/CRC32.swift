import Foundation

/// The checksum of ZIP archives: CRC-32 (ISO/IEC/IEEE 8802-3, section 3.2.9), with the reversed polynomial 0xEDB88320.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { start in
        (0..<8).reduce(UInt32(start)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }

    /// The checksum of these bytes.
    static func sum(of data: Data) -> UInt32 {
        ~data.reduce(~0) { sum, byte in sum >> 8 ^ table[Int((sum ^ UInt32(byte)) & 0xFF)] }
    }
}
