import Foundation

/// Converts text of one charset to UTF-8 with the system's tables.
///
/// Invalid bytes become U+FFFD, and decoding continues after them.
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
            // Character by character: none has more than four bytes.
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
        /// Whether escape sequences in the text change the decoding of the bytes after them.
        private let hasStates: Bool

        /// The maximum length of a charset name.
        private static let longestName = 40

        /// A converter for the charset `name`; nil if the system does not know it.
        init?(_ name: String) {
            // A slash would request more than a charset.
            guard name.utf8.count <= Self.longestName, name.utf8.allSatisfy(Self.isOfName),
                let descriptor = iconv_open("UTF-8", name), descriptor != iconv_t(bitPattern: -1)
            else { return nil }
            self.descriptor = descriptor
            hasStates = ["ISO-2022", "ISO2022", "UTF-7", "UTF7"].contains(where: name.uppercased().hasPrefix)
        }

        deinit { iconv_close(descriptor) }

        private static func isOfName(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || "-_.:+".utf8.contains(byte) }

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
                    // A base character that waited for a combining mark comes first.
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

        /// Converts as much as possible; returns 0, or the reason why it stopped.
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

        /// Flushes the converter and resets it.
        private func finish(into text: inout [UInt8]) {
            var (nowhere, none): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
            _ = convert(&nowhere, &none, into: &text)
        }

        /// The number of invalid bytes to skip together: the first of a pair, and a second one that is no character
        /// itself.
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
