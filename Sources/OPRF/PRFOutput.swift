/// The last step of `Finalize` and `Evaluate`, which hashes an input and its element (RFC 9497, section 3.3.1).
enum PRFOutput {
    static func hash(_ input: [UInt8], _ element: GroupElement) -> [UInt8] {
        MessageExpansion.sha512(withLength(input) + withLength(element.bytes) + Array("Finalize".utf8))
    }

    /// The bytes, at most 65,535, after their number in two bytes.
    static func withLength(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count <= 65_535)
        return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }
}
