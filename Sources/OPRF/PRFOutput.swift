import CSodium

/// The last step of `Finalize` and `Evaluate`, which hashes an input and its element (RFC 9497, section 3.3.1).
enum PRFOutput {
    static func hash(_ input: [UInt8], _ element: GroupElement) -> [UInt8] {
        MessageExpansion.sha512(length(input) + input + length(element.bytes) + element.bytes + Array("Finalize".utf8))
    }

    private static func length(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count <= 65_535)
        return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
    }
}
