import KithModel

/// Reads PostgreSQL's decimal numbers, which are the type of a sum of whole numbers.
enum PostgresNumeric {
    /// The digits are to this base.
    private static let base: Int64 = 10_000
    private static let negative: UInt16 = 0x4000

    /// The number in `bytes`: the count of digits, the power of the first one, the sign, the decimal places, and the digits,
    /// with two bytes each.
    ///
    /// - Throws: ``ServerError`` with the code `internalError` if it has a fraction, is no number, or needs more than 64 bits.
    static func integer(_ bytes: UnsafeRawBufferPointer) throws -> Int64 {
        func part(_ index: Int) -> UInt16 {
            bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self).bigEndian
        }
        let (count, weight, sign) = (Int(part(0)), Int(Int16(bitPattern: part(1))), part(2))
        // Zeros at the end are left out, so more digits than this mean a fraction.
        guard sign == 0 || sign == negative, count <= max(0, weight + 1) else { throw unreadable }
        var number: Int64 = 0
        for place in 0..<max(0, weight + 1) {
            let digit = place < count ? Int64(part(4 + place)) : 0
            // The lowest number has no positive counterpart.
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: base)
            let (sum, isTooLargeNow) =
                sign == negative
                ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if isTooLarge || isTooLargeNow { throw unreadable }
            number = sum
        }
        return number
    }

    private static var unreadable: ServerError {
        ServerError(.internalError, "The database answered with a number that is not whole, or too large.")
    }
}
