import Foundation

/// An HTTP client with one persistent connection and its own source address. It waits for each answer.
final class LoopbackClient {
    struct Broken: Error {}

    private let port: Int
    private let address: String
    private var socket: Int32 = -1
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)

    /// A client with the source address `address`, in 127.0.0.0/8.
    init(port: Int, address: String) {
        self.port = port
        self.address = address
    }

    deinit { if socket >= 0 { Glibc.close(socket) } }

    /// Sends a request and reads the whole answer.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path with its query.
    ///   - token: The token of a session.
    ///   - headers: Further header lines, each with its end.
    ///   - body: A body in JSON.
    /// - Returns: The status and the body of the answer.
    /// - Throws: If the connection breaks. The next request opens another one.
    func ask(
        _ method: String, _ path: String, token: String? = nil, headers: String = "", body: Data? = nil
    ) throws -> (status: Int, body: Data) {
        do {
            return try attempt(method, path, token, headers, body)
        } catch {
            if socket >= 0 { Glibc.close(socket) }
            socket = -1
            throw error
        }
    }

    private func attempt(
        _ method: String, _ path: String, _ token: String?, _ headers: String, _ body: Data?
    ) throws -> (Int, Data) {
        if socket < 0 {
            guard let opened = Loopback.connect(to: port, from: address, patience: 60) else { throw Broken() }
            socket = opened
        }
        var head = "\(method) \(path) HTTP/1.1\r\nHost: kith\r\n\(headers)"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
        try send(Data((head + "\r\n").utf8) + (body ?? Data()))
        var received = Data()
        var range = received.range(of: Self.end)
        while range == nil {
            received += try receive()
            range = received.range(of: Self.end)
        }
        guard let range else { throw Broken() }
        let (status, length) = try Self.read(Array(received[..<range.lowerBound]))
        var rest = Data(received[range.upperBound...])
        while rest.count < length { rest += try receive() }
        return (status, rest)
    }

    /// The end of a head.
    private static let end = Data("\r\n\r\n".utf8)
    private static let lengthField = Array("content-length:".utf8)

    /// The status of an answer and the length of its body. Reading has to be cheap, because the client and the server share
    /// the processors.
    private static func read(_ head: [UInt8]) throws -> (status: Int, length: Int) {
        let lines = head.split(separator: UInt8(ascii: "\n"))
        // “HTTP/1.1 200 OK”
        guard let first = lines.first, let status = number(first.dropFirst(9).prefix(3)) else { throw Broken() }
        let field = lines.first { line in
            line.count > lengthField.count && zip(line, lengthField).allSatisfy { $0 | 0x20 == $1 | 0x20 }
        }
        return (status, field.flatMap { number($0.dropFirst(lengthField.count)) } ?? 0)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        Int(String(decoding: digits, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private func send(_ data: Data) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Broken() }
            rest = rest.dropFirst(count)
        }
    }

    private func receive() throws -> Data {
        let size = buffer.count
        let count = recv(socket, &buffer, size, 0)
        guard count > 0 else { throw Broken() }
        return Data(buffer.prefix(count))
    }
}
