import Foundation

/// A connection to an HTTP server on this machine, with at most one request without an answer.
///
/// It does as little as possible, because client and server share the processors. If the server has closed the connection
/// after an answer, or because it was idle, the next request opens another one.
final class HTTPConnection {
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    let port: Int
    private let source: String?
    /// The descriptor; -1 if the connection is not open.
    private(set) var socket: Int32 = -1
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var filled = 0
    private var head: HTTPHead?
    /// The body so far, and the place of the next chunk, if the answer comes in chunks.
    private var chunks: (body: [UInt8], next: Int) = ([], 0)

    /// A connection to a port, from an address in 127.0.0.0/8; nil lets the system choose it.
    init(port: Int, from source: String? = nil) { (self.port, self.source) = (port, source) }

    deinit { close() }

    func close() {
        if socket >= 0 { Glibc.close(socket) }
        socket = -1
    }

    /// Closes the connection if the server has closed it.
    private func closeIfEnded() {
        guard socket >= 0 else { return }
        var byte: UInt8 = 0
        if recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0 { close() }
    }

    /// Sends a request, and waits for the whole answer. If that fails, the next request opens another connection.
    func ask(_ request: [UInt8]) throws -> HTTPAnswer {
        do {
            try send(request)
            while true {
                if let answer = try receive() { return answer }
            }
        } catch {
            close()
            throw error
        }
    }

    /// Sends a request, which is a head and a body.
    func send(_ request: [UInt8]) throws {
        closeIfEnded()
        try open()
        (filled, head) = (0, nil)
        var sent = 0
        while sent < request.count {
            let count = request.withUnsafeBytes { bytes in
                Glibc.send(socket, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Broken(description: "The server at port \(port) takes no request.") }
            sent += count
        }
    }

    /// Waits for the next bytes of the answer.
    ///
    /// - Returns: The answer, if these were its last bytes.
    func receive() throws -> HTTPAnswer? {
        if buffer.count - filled < 32 << 10 { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
        let count = buffer.withUnsafeMutableBytes { bytes in
            recv(socket, bytes.baseAddress! + filled, bytes.count - filled, 0)
        }
        if count == 0, let head, case .whenClosed = head.body {
            close()
            return answer(head, Array(buffer[head.count..<filled]))
        }
        guard count > 0 else { throw Broken(description: "The server at port \(port) has closed the connection.") }
        filled += count
        guard let head = head ?? readHead(), let body = try body(after: head) else { return nil }
        if head.closes { close() }
        return answer(head, body)
    }

    private func readHead() -> HTTPHead? {
        head = buffer.withUnsafeBytes { HTTPHead(UnsafeRawBufferPointer(rebasing: $0[..<filled])) }
        chunks = ([], head?.count ?? 0)
        return head
    }

    private func answer(_ head: HTTPHead, _ body: [UInt8]) -> HTTPAnswer {
        HTTPAnswer(status: head.status, head: Array(buffer[..<(head.count - 4)]), body: body)
    }

    /// The body, if all of it has come.
    private func body(after head: HTTPHead) throws -> [UInt8]? {
        switch head.body {
        case .after(let length):
            return filled >= head.count + length ? Array(buffer[head.count..<(head.count + length)]) : nil
        case .whenClosed: return nil
        case .chunked: return try readChunks() ? chunks.body : nil
        }
    }

    /// Moves the chunks that have come into the body. Returns whether that was the last one.
    private func readChunks() throws -> Bool {
        try buffer.withUnsafeBytes { bytes in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<filled])
            while let end = HTTPHead.end(ofLineAt: chunks.next, in: bytes) {
                let line = String(decoding: bytes[chunks.next..<end], as: UTF8.self)
                guard let size = Int(line.prefix { $0 != ";" }, radix: 16) else {
                    throw Broken(description: "The server at port \(port) sends no valid chunk.")
                }
                guard end + 2 + size + 2 <= filled else { return false }
                chunks.body += bytes[(end + 2)..<(end + 2 + size)]
                chunks.next = end + 2 + size + 2
                if size == 0 { return true }
            }
            return false
        }
    }

    /// Opens the connection, if it is not open.
    func open() throws {
        guard socket < 0 else { return }
        guard let opened = Loopback.connect(to: port, from: source, patience: 120) else {
            throw Broken(description: "Nothing listens at port \(port).")
        }
        socket = opened
    }
}
