import Foundation

/// A connection of an ``OpenLoop``, with at most one request without an answer.
struct Lane {
    struct Broken: Error {}

    let socket: Int32
    /// The number of the request that waits for its answer; nil if there is none.
    private(set) var number: Int?
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var filled = 0

    /// Connects to a port of this machine.
    init(port: Int) throws {
        guard let socket = Loopback.connect(to: port) else { throw Broken() }
        self.socket = socket
    }

    /// Sends a request, which is small enough for the socket's buffer.
    mutating func send(_ request: [UInt8], number: Int) {
        self.number = number
        filled = 0
        _ = request.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Reads what has come.
    ///
    /// - Returns: The status once the answer is complete, 0 if the connection is broken; nil if more has to come.
    mutating func receive() -> Int? {
        let count = buffer.withUnsafeMutableBytes { bytes in
            recv(socket, bytes.baseAddress! + filled, bytes.count - filled, 0)
        }
        guard count > 0 else { return 0 }
        filled += count
        guard let (status, length) = head, filled >= length else { return nil }
        number = nil
        return status
    }

    /// The status, and the bytes of the whole answer, once its head is there.
    private var head: (status: Int, length: Int)? {
        buffer.withUnsafeBytes { bytes in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<filled])
            guard let end = Self.place(of: Self.end, in: bytes) else { return nil }
            var length = 0
            // Hummingbird writes the names of fields in this case.
            if let field = Self.place(of: Self.field, in: UnsafeRawBufferPointer(rebasing: bytes[..<end])) {
                for digit in bytes[(field + Self.field.count)...] {
                    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { break }
                    length = length * 10 + Int(digit - UInt8(ascii: "0"))
                }
            }
            // “HTTP/1.1 200 OK”
            let status = bytes[9..<12].reduce(0) { $0 * 10 + Int($1) - 48 }
            return (status, end + Self.end.count + length)
        }
    }

    private static func place(of mark: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= mark.count else { return nil }
        return (0...(bytes.count - mark.count)).first { start in
            bytes[start] == mark[0] && bytes[start...].starts(with: mark)
        }
    }

    private static let end = Array("\r\n\r\n".utf8)
    private static let field = Array("Content-Length: ".utf8)
}
