import Foundation

/// The text of a file: UTF-8 bytes, one line after the other.
///
/// It stays bytes until a line is asked for, so that one bad byte spoils only
/// its own line, and so that a combining mark after a comma or a quote does
/// not hide it, as it would among Swift's characters.
struct SourceText {
    let bytes: [UInt8]

    /// - Throws: ``ListFormat/Failure`` if the file is too large or is no text.
    init(_ data: Data) throws {
        guard data.count <= ListFormat.byteLimit else {
            throw ListFormat.Failure(
                .tooLarge, "The file is larger than \(ListFormat.byteLimit / 1_048_576) MiB. Split it into several.")
        }
        let start = [UInt8](data.prefix(3))
        if start.starts(with: [0xFE, 0xFF]) {
            bytes = Self.transcoded(data.dropFirst(2)) { UInt16($0) << 8 | UInt16($1) }
        } else if start.starts(with: [0xFF, 0xFE]) {
            bytes = Self.transcoded(data.dropFirst(2)) { UInt16($1) << 8 | UInt16($0) }
        } else {
            bytes = [UInt8](data.dropFirst(start == [0xEF, 0xBB, 0xBF] ? 3 : 0))
        }
        // A stray NUL further on is the fault of its line; among the first bytes it tells another kind of file.
        guard !bytes.prefix(1_000).contains(0) else {
            throw ListFormat.Failure(.notText, "The file is not text. If a program can save it as UTF-8, use that.")
        }
    }

    /// UTF-16 as UTF-8. What is no character becomes a byte that UTF-8 has not, and so the fault of its line.
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

    /// The lines of the file, each when it is asked for: a file of line ends alone takes no memory.
    var lines: Lines { Lines(bytes: bytes) }

    /// One line, without its end.
    struct Line {
        let number: Int
        let bytes: ArraySlice<UInt8>

        /// The line as text; nil if it is not UTF-8.
        var text: String? { String(validating: bytes, as: UTF8.self) }
        /// What a fault shows of it.
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
    /// The index at which the line that holds `index` ends.
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

    /// The rest of the line at `index`, as a fault shows it.
    func shown(from index: Int) -> String {
        // No further than is shown: all of a file may be one line, and each of its items at fault.
        self[Swift.min(index, count)...].prefix(ArraySlice.shownBytes).prefix { !$0.isLineEnd }.shown
    }
}

extension ArraySlice<UInt8> {
    /// The bytes as a fault shows them: shortened, and with a sign where they are not UTF-8.
    var shown: String {
        String(decoding: prefix(Self.shownBytes), as: UTF8.self).trimmed.shortened
    }

    /// Four bytes are the longest character; two more are seen to be cut off.
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
