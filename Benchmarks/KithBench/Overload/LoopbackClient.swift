import Foundation

/// An HTTP client with one persistent connection and its own source address. It waits for each answer.
final class LoopbackClient {
    struct Broken: Error {}

    private let port: Int
    private let address: String
    private var socket: Int32 = -1

    /// A client with the source address `address`, in 127.0.0.0/8.
    init(port: Int, address: String) {
        self.port = port
        self.address = address
    }

    deinit { if socket >= 0 { Glibc.close(socket) } }

    /// Sends a request and reads the whole answer.
    func ask(
        _ method: String, _ path: String, token: String? = nil, body: Data? = nil
    ) throws -> (status: Int, body: Data) {
        do {
            return try attempt(method, path, token, body)
        } catch {
            if socket >= 0 { Glibc.close(socket) }
            socket = -1
            throw error
        }
    }

    private func attempt(_ method: String, _ path: String, _ token: String?, _ body: Data?) throws -> (Int, Data) {
        if socket < 0 { try connect() }
        var head = "\(method) \(path) HTTP/1.1\r\nHost: kith\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
        try send(Data((head + "\r\n").utf8) + (body ?? Data()))
        var received = Data()
        let end = Data("\r\n\r\n".utf8)
        var range = received.range(of: end)
        while range == nil {
            received += try receive()
            range = received.range(of: end)
        }
        guard let range else { throw Broken() }
        let lines = String(decoding: received[..<range.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { throw Broken() }
        var rest = Data(received[range.upperBound...])
        while rest.count < length ?? 0 { rest += try receive() }
        return (status, rest)
    }

    private func connect() throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var (own, server) = (sockaddr_in(), sockaddr_in())
        own.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, address, &own.sin_addr)
        server.sin_family = sa_family_t(AF_INET)
        server.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &server.sin_addr)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var now: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &now, socklen_t(MemoryLayout<Int32>.size))
        func with(_ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>) -> Int32) -> Int32 {
            withUnsafePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
        }
        guard with(&own, { bind(socket, $0, size) }) == 0, with(&server, { Glibc.connect(socket, $0, size) }) == 0
        else { throw Broken() }
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
        var bytes = [UInt8](repeating: 0, count: 256 << 10)
        let count = recv(socket, &bytes, bytes.count, 0)
        guard count > 0 else { throw Broken() }
        return Data(bytes.prefix(count))
    }
}
