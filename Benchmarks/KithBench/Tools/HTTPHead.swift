import Foundation

/// What the head of an answer says about the answer's end.
struct HTTPHead {
    /// Where the body ends.
    enum Body {
        case after(bytes: Int), chunked, whenClosed
    }

    let status: Int
    let body: Body
    /// Whether the server closes the connection after the answer.
    let closes: Bool
    /// The bytes of the head, the empty line included.
    let count: Int

    /// Reads the head at the beginning of `bytes`; nil if it has not come whole. This has to be cheap, because client and
    /// server share the processors.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var (length, isChunked, closes): (Int?, Bool, Bool?) = (nil, false, nil)
        var start = 0
        while let end = Self.end(ofLineAt: start, in: bytes) {
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            start = end + 2
            if line.isEmpty {
                // “HTTP/1.1 200 OK”
                guard bytes.count > 12 else { return nil }
                status = Self.number(UnsafeRawBufferPointer(rebasing: bytes[9..<12]))
                // Such answers have no body, whatever their fields say.
                let isEmpty = status == 204 || status == 304
                body =
                    isEmpty ? .after(bytes: 0) : isChunked ? .chunked : length.map { .after(bytes: $0) } ?? .whenClosed
                self.closes = closes ?? (bytes[7] == UInt8(ascii: "0"))
                count = start
                return
            }
            switch line[0] | 0x20 {
            case UInt8(ascii: "c") where Self.begins(line, with: "content-length:"):
                length = Self.number(UnsafeRawBufferPointer(rebasing: line[15...]))
            case UInt8(ascii: "c") where Self.begins(line, with: "connection:"):
                closes = String(decoding: line[11...], as: UTF8.self).lowercased().contains("close")
            case UInt8(ascii: "t") where Self.begins(line, with: "transfer-encoding:"): isChunked = true
            default: break
            }
        }
        return nil
    }

    /// The place of the next CR LF.
    static func end(ofLineAt start: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        var place = start
        while place + 1 < bytes.count {
            if bytes[place] == 0x0D && bytes[place + 1] == 0x0A { return place }
            place += 1
        }
        return nil
    }

    private static func begins(_ line: UnsafeRawBufferPointer, with name: StaticString) -> Bool {
        guard line.count >= name.utf8CodeUnitCount else { return false }
        for place in 0..<name.utf8CodeUnitCount where line[place] | 0x20 != name.utf8Start[place] | 0x20 {
            return false
        }
        return true
    }

    private static func number(_ digits: UnsafeRawBufferPointer) -> Int {
        var number = 0
        for byte in digits where byte >= 0x30 && byte <= 0x39 { number = number * 10 + Int(byte - 0x30) }
        return number
    }
}
