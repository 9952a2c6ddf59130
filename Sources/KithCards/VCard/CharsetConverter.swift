import Foundation

/// Turns text of one charset into UTF-8, with the tables of the system.
///
/// Bytes that mean nothing become U+FFFD, and what follows them is read.
final class CharsetConverter {
    #if canImport(Darwin)
        private let encoding: String.Encoding

        /// A converter for the charset `name`; nil if the system does not know it.
        init?(_ name: String) {
            let number = CFStringConvertIANACharSetNameToEncoding(name as CFString)
            guard number != kCFStringEncodingInvalidId else { return nil }
            encoding = String.Encoding(rawValue: CFStringConvertEncodingToNSStringEncoding(number))
        }

        /// The text in UTF-8.
        func utf8(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            if let text = String(bytes: bytes, encoding: encoding) { return Array(text.utf8) }
            // Letter by letter: none has more than four bytes.
            var text: [UInt8] = []
            var rest = bytes
            while !rest.isEmpty {
                let letter = (1...min(4, rest.count)).lazy.compactMap { count in
                    String(bytes: rest.prefix(count), encoding: encoding).map { ($0, count) }
                }.first
                text += (letter?.0 ?? "\u{FFFD}").utf8
                rest = rest.dropFirst(letter?.1 ?? 1)
            }
            return text
        }
    #else
        private let descriptor: iconv_t
        /// Whether escapes within the text say how what follows them is to be read.
        private let hasStates: Bool

        /// More letters are in no name of a charset.
        private static let longestName = 40

        /// A converter for the charset `name`; nil if the system does not know it.
        init?(_ name: String) {
            // Slashes would ask for more than a charset.
            guard name.utf8.count <= Self.longestName, name.utf8.allSatisfy(Self.isOfName),
                let descriptor = iconv_open("UTF-8", name), descriptor != iconv_t(bitPattern: -1)
            else { return nil }
            self.descriptor = descriptor
            hasStates = ["ISO-2022", "ISO2022", "UTF-7", "UTF7"].contains(where: name.uppercased().hasPrefix)
        }

        deinit { iconv_close(descriptor) }

        private static func isOfName(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: ":"), UInt8(ascii: "+"):
                true
            default: 0x41...0x5A ~= byte.capital
            }
        }

        /// The text in UTF-8.
        func utf8(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var text: [UInt8] = []
            text.reserveCapacity(2 * bytes.count)
            var letters = bytes.map { CChar(bitPattern: $0) }
            letters.withUnsafeMutableBufferPointer { letters in
                var place = letters.baseAddress
                var left = letters.count
                while left > 0 {
                    let error = convert(&place, &left, into: &text)
                    if error == 0 || error == E2BIG { continue }
                    // A letter that waited for a sign to put on it comes first.
                    if !hasStates { finish(into: &text) }
                    text += "\u{FFFD}".utf8
                    let unread = error == EINVAL ? left : unreadable(place, left)
                    place = place?.advanced(by: unread)
                    left -= unread
                }
            }
            finish(into: &text)
            return text
        }

        /// Converts what it can; returns 0, or why it stopped.
        private func convert(
            _ place: inout UnsafeMutablePointer<CChar>?, _ left: inout Int, into text: inout [UInt8]
        ) -> Int32 {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { room in
                var end = room.baseAddress
                var free = room.count
                let error = iconv(descriptor, &place, &left, &end, &free) == -1 ? errno : 0
                text.append(contentsOf: room[..<(room.count - free)].lazy.map { UInt8(bitPattern: $0) })
                return error
            }
        }

        /// Takes what the converter still holds, and lets it begin again.
        private func finish(into text: inout [UInt8]) {
            var (nowhere, none): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
            _ = convert(&nowhere, &none, into: &text)
        }

        /// How many of the bytes that mean nothing go together: the first of a pair, and a second that is no letter of
        /// its own.
        private func unreadable(_ place: UnsafeMutablePointer<CChar>?, _ left: Int) -> Int {
            guard left > 1, let place else { return 1 }
            var (first, one): (UnsafeMutablePointer<CChar>?, Int) = (place, 1)
            var nothing: [UInt8] = []
            guard convert(&first, &one, into: &nothing) == EINVAL else { return 1 }
            // CChar is signed on some systems only.
            let (isHigh, isPair) = (UInt8(bitPattern: place[0]) >= 0x80, UInt8(bitPattern: place[1]) >= 0x80)
            return isPair || !isHigh ? 2 : 1
        }
    #endif
}
