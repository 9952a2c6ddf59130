/// Finds the events of a live stream in its bytes, in whatever parts they come.
struct EventScanner {
    enum Event { case hello, presence, moved, sessions, comment }

    private static let start = Array("event: ".utf8)
    /// How much of the start of an event the current line has; nil if it is another line.
    private var matched: Int? = 0

    /// Calls `found` for each event that begins in `bytes`.
    mutating func scan(_ bytes: UnsafeRawBufferPointer, _ found: (Event) throws -> Void) rethrows {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                matched = 0
                continue
            }
            guard let count = matched else { continue }
            if count < Self.start.count, byte == Self.start[count] {
                matched = count + 1
                continue
            }
            matched = nil
            if count == 0, byte == UInt8(ascii: ":") { try found(.comment) }
            guard count == Self.start.count else { continue }
            switch byte {
            case UInt8(ascii: "h"): try found(.hello)
            case UInt8(ascii: "p"): try found(.presence)
            case UInt8(ascii: "m"): try found(.moved)
            case UInt8(ascii: "s"): try found(.sessions)
            default: break
            }
        }
    }
}
