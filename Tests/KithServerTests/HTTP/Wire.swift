import Foundation
import Synchronization

/// A TCP connection that speaks HTTP byte by byte, so that a test sees what is really on the wire.
final class Wire: Sendable {
    struct Broken: Error { let what: String }

    /// The head of an answer.
    struct Head: Sendable {
        var status: Int
        var fields: [String: String]
        subscript(name: String) -> String? { fields[name.lowercased()] }
    }

    private let socket: Int32
    private let buffer = Mutex(Data())

    init(_ server: URL) throws {
        guard let port = server.port.flatMap({ UInt16(exactly: $0) }) else { throw Broken(what: "no port") }
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // A server that says nothing for so long has hung: the test fails instead of waiting for ever.
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            throw Broken(what: "connect: \(errno)")
        }
    }

    deinit { Glibc.close(socket) }

    func send(_ data: Data) throws {
        var rest = data
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Broken(what: "send: \(errno)") }
            rest = Data(rest.dropFirst(count))
        }
    }

    func send(_ text: String) throws { try send(Data(text.utf8)) }

    /// Tells the other side that nothing more is sent. Its answers can still be read.
    func finishSending() throws {
        guard shutdown(socket, Int32(SHUT_WR)) == 0 else { throw Broken(what: "shutdown: \(errno)") }
    }

    /// A TCP option of the server's socket, which is in the same process; nil if it is not there.
    func optionOfServer(_ option: Int32) -> Int32? {
        let (own, server) = (Self.port(of: socket, isPeer: false), Self.port(of: socket, isPeer: true))
        for other in 0..<Int32(65_536) where Self.port(of: other, isPeer: true) == own {
            // A connection to another server can have the same port on the client's side.
            guard Self.port(of: other, isPeer: false) == server else { continue }
            var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            if getsockopt(other, Int32(IPPROTO_TCP), option, &value, &size) == 0 { return value }
        }
        return nil
    }

    /// The port of a socket or of its peer; 0 if it has none.
    private static func port(of socket: Int32, isPeer: Bool) -> UInt16 {
        var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                isPeer ? getpeername(socket, $0, &size) : getsockname(socket, $0, &size)
            }
        }
        return status == 0 && address.sin_family == sa_family_t(AF_INET) ? address.sin_port : 0
    }

    /// Reads up to and with `mark`.
    func read(through mark: String) async throws -> Data {
        let mark = Data(mark.utf8)
        while true {
            let found: Data? = buffer.withLock { buffer in
                guard let range = buffer.range(of: mark) else { return nil }
                defer { buffer = Data(buffer[range.upperBound...]) }
                return Data(buffer[..<range.upperBound])
            }
            if let found { return found }
            guard try await receive() else { throw Broken(what: "the stream ended before \(mark)") }
        }
    }

    func read(count: Int) async throws -> Data {
        while buffer.withLock({ $0.count < count }) {
            guard try await receive() else { throw Broken(what: "the stream ended early") }
        }
        return buffer.withLock { buffer in
            defer { buffer = Data(buffer.dropFirst(count)) }
            return Data(buffer.prefix(count))
        }
    }

    func head() async throws -> Head {
        let lines = String(decoding: try await read(through: "\r\n\r\n"), as: UTF8.self)
            .components(separatedBy: "\r\n").filter { !$0.isEmpty }
        guard let first = lines.first?.split(separator: " "), first.count > 1, let status = Int(first[1]) else {
            throw Broken(what: "no status line")
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        return Head(status: status, fields: fields)
    }

    /// The next chunk of a chunked body; empty at its end.
    func chunk() async throws -> Data {
        let line = String(decoding: try await read(through: "\r\n"), as: UTF8.self)
        guard let count = Int(line.trimmingCharacters(in: .whitespacesAndNewlines), radix: 16) else {
            throw Broken(what: "“\(line)” is no chunk")
        }
        let data = try await read(count: count)
        _ = try await read(count: 2)
        return data
    }

    /// Whether the other side has closed, with nothing left to read.
    func isAtEnd() async throws -> Bool {
        if buffer.withLock({ !$0.isEmpty }) { return false }
        return try await !receive()
    }

    private func receive() async throws -> Bool {
        let socket = socket
        // A blocking call belongs on a thread of its own, not on those that tasks share.
        let bytes: Data = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                var bytes = [UInt8](repeating: 0, count: 65_536)
                let count = recv(socket, &bytes, bytes.count, 0)
                // `errno` is this thread's.
                let error = errno
                continuation.resume(
                    with: count >= 0 ? .success(Data(bytes.prefix(count))) : .failure(Broken(what: "recv: \(error)")))
            }
        }
        buffer.withLock { $0 += bytes }
        return !bytes.isEmpty
    }
}

/// A whole answer.
struct Reply: Sendable {
    let head: Wire.Head
    let body: Data

    var status: Int { head.status }

    func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: body)
    }
}
