import Foundation
import TextEncodings

/// The text of a file: UTF-8 bytes, split into lines.
///
/// Lines are decoded on demand, so that an invalid byte affects only its own line. Separators are searched for as
/// bytes, because as Swift characters a combining mark after a comma or a quote would hide the separator.
struct SourceText {
    let bytes: [UInt8]

    /// - Throws: ``ListFormat/Failure`` if the file is too large or is not text.
    init(_ data: Data, in encoding: ListEncoding = .unicode) throws {
        guard data.count <= ListFormat.byteLimit else {
            throw ListFormat.Failure(
                .tooLarge, "The file is larger than \(ListFormat.byteLimit / 1_048_576) MiB. Split it into several.")
        }
        let start = [UInt8](data.prefix(3))
        if encoding == .windows1252 {
            bytes = Array(Windows1252.utf8([UInt8](data)[...]))
        } else if start.starts(with: [0xFE, 0xFF]) {
            bytes = Self.transcoded(data.dropFirst(2)) { UInt16($0) << 8 | UInt16($1) }
        } else if start.starts(with: [0xFF, 0xFE]) {
            bytes = Self.transcoded(data.dropFirst(2)) { UInt16($1) << 8 | UInt16($0) }
        } else {
            bytes = [UInt8](data.dropFirst(start == [0xEF, 0xBB, 0xBF] ? 3 : 0))
        }
        // A NUL further on is a fault of its line. A NUL among the first bytes means that the file is not text.
        guard !bytes.prefix(1_000).contains(0) else {
            if Self.isUTF16(bytes.prefix(1_000)) {
                throw ListFormat.Failure(
                    .notText, "The file seems to be UTF-16 without its byte order mark. Save it as UTF-8.")
            }
            throw ListFormat.Failure(.notText, "The file is not text. If a program can save it as UTF-8, use that.")
        }
    }

    /// Whether one of the two bytes of each character is NUL, as of plain English in UTF-16.
    private static func isUTF16(_ start: ArraySlice<UInt8>) -> Bool {
        let even = start.indices.filter { $0.isMultiple(of: 2) }.count { start[$0] == 0 }
        let odd = start.count { $0 == 0 } - even
        return min(even, odd) == 0 && max(even, odd) * 3 >= start.count
    }

    /// Converts UTF-16 to UTF-8. An invalid character becomes a byte that UTF-8 does not allow, so that its line
    /// becomes a fault.
    private static func transcoded(_ data: Data, unit: @escaping (UInt8, UInt8) -> UInt16) -> [UInt8] {
        let raw = [UInt8](data)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var units = stride(from: 0, to: raw.count - raw.count % 2, by: 2).lazy
            .map { unit(raw[$0], raw[$0 + 1]) }.makeIterator()
        var parser = Unicode.UTF16.ForwardParser()
        while true {
            switch parser.parseScalar(from: &units) {
            case .valid(let encoded): bytes.append(contentsOf: String(UTF16.decode(encoded)).utf8)
            case .error: bytes.append(0xFF)
            case .emptyInput: return raw.count % 2 == 0 ? bytes : bytes + [0xFF]
            }
        }
    }

    /// The lines of the file. They are created on demand, so that even a file of empty lines needs no memory.
    var lines: Lines { Lines(bytes: bytes) }

    /// One line, without its end.
    struct Line {
        let number: Int
        let bytes: ArraySlice<UInt8>

        /// The line as text; nil if it cannot be read.
        var text: String? { String(inFile: bytes) }
        /// The text that a fault shows.
        var shown: String { bytes.shown }
    }

    struct Lines: Sequence, IteratorProtocol {
        let bytes: [UInt8]
        private var start = 0
        private var number = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func next() -> Line? {
            guard start < bytes.count else { return nil }
            number += 1
            let end = bytes.lineEnd(from: start)
            defer { start = bytes.afterLineEnd(at: end) }
            return Line(number: number, bytes: bytes[start..<end])
        }
    }
}

extension [UInt8] {
    /// The index of the end of the line that contains `index`.
    func lineEnd(from index: Int) -> Int {
        var end = index
        while end < count, !self[end].isLineEnd { end += 1 }
        return end
    }

    /// The index after the line end at `index`: CR, LF, or CR and LF together.
    func afterLineEnd(at index: Int) -> Int {
        guard index < count else { return count }
        let isPair = self[index] == .carriageReturn && index + 1 < count && self[index + 1] == .lineFeed
        return index + (isPair ? 2 : 1)
    }

    /// The rest of the line at `index`, in the form that a fault shows.
    func shown(from index: Int) -> String {
        // Reads no more than is shown: the whole file may be one line, with a fault in each of its items.
        self[Swift.min(index, count)...].prefix(ArraySlice.shownBytes).prefix { !$0.isLineEnd }.shown
    }
}

extension String {
    /// The text of bytes in a file; nil if they are not UTF-8, or have too many combining marks in a row.
    init?(inFile bytes: some Collection<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self), StreamSafeText.accepts(text) else { return nil }
        self = text
    }
}

extension ArraySlice<UInt8> {
    /// Why the bytes, which are called `subject`, are no text in a file.
    func unreadable(as subject: String) -> String {
        let isUTF8 = String(validating: self, as: UTF8.self) != nil
        return "\(subject) has \(isUTF8 ? StreamSafeText.excess : "bytes that are not UTF-8")."
    }

    /// The bytes in the form that a fault shows: shortened, with a replacement character for invalid UTF-8.
    var shown: String {
        String(decoding: prefix(Self.shownBytes), as: UTF8.self).trimmed.shortened
    }

    /// The bytes of two more characters than the limit (at most four bytes each), so that ``shortened`` can see that
    /// the text exceeds the limit.
    fileprivate static var shownBytes: Int { 4 * (ListFormat.shownCharacters + 2) }
}

extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let comma = UInt8(ascii: ",")

    var isLineEnd: Bool { self == .lineFeed || self == .carriageReturn }
}
