/// Writes ascending numbers as the Rice codes of their differences, with the highest bit of each byte first.
///
/// A code is the difference without its lowest `width` bits as so many zeros and a one, then these lowest bits. If the
/// numbers are spread evenly and the average difference is 2^`width`, a number needs about `width` + 1.6 bits, which is a
/// tenth of a bit more than the minimum.
struct RiceWriter {
    /// The finished bytes.
    private var bytes: [UInt8] = []
    private let width: Int
    private var last: UInt64 = 0
    /// The lowest `used` bits wait for their byte.
    private var waiting: UInt64 = 0
    private var used = 0

    /// A writer of differences with `width` low bits, at most 48.
    init(width: Int) { self.width = width }

    /// Appends a number that is not less than the one before.
    mutating func append(_ number: UInt64) {
        let difference = number - last
        last = number
        var zeros = difference >> UInt64(width)
        while zeros >= 32 {
            append(0, 32)
            zeros -= 32
        }
        append(1, Int(zeros) + 1)
        append(difference & (1 << UInt64(width) - 1), width)
    }

    /// All bytes. The rest of the last one is zero.
    func finished() -> [UInt8] { used == 0 ? bytes : bytes + [UInt8(truncatingIfNeeded: waiting << UInt64(8 - used))] }

    private mutating func append(_ value: UInt64, _ count: Int) {
        waiting = waiting << UInt64(count) | value
        used += count
        while used >= 8 {
            used -= 8
            bytes.append(UInt8(truncatingIfNeeded: waiting >> UInt64(used)))
        }
    }
}
