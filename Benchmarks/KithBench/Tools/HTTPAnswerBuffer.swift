import Foundation

/// The parts of an HTTP answer, until it is complete.
struct HTTPAnswerBuffer {
    struct Refused: Error { let answer: String }

    private var bytes = Data()

    /// Adds what has come.
    ///
    /// - Returns: The body, once the answer is complete.
    /// - Throws: ``Refused`` unless the status is 200.
    mutating func append(_ part: UnsafeRawBufferPointer) throws -> Data? {
        bytes.append(contentsOf: part)
        guard let end = bytes.range(of: Self.end) else { return nil }
        let head = bytes[..<end.lowerBound]
        // “HTTP/1.1 200 OK”. Hummingbird writes the names of fields in this case.
        guard head.dropFirst(9).starts(with: "200".utf8), let field = head.range(of: Self.length) else {
            throw Refused(answer: String(decoding: bytes, as: UTF8.self))
        }
        let digits = head[field.upperBound...].prefix { $0 != UInt8(ascii: "\r") }
        guard let length = Int(String(decoding: digits, as: UTF8.self)), bytes.endIndex - end.upperBound >= length
        else { return nil }
        defer { bytes = Data() }
        return Data(bytes[end.upperBound...])
    }

    private static let end = Data("\r\n\r\n".utf8)
    private static let length = Data("Content-Length: ".utf8)
}
