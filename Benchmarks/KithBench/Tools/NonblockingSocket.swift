import Foundation

/// A connection to a server of this machine that never waits, so that one thread can serve thousands of them.
final class NonblockingSocket {
    struct Broken: Error {}

    let descriptor: Int32

    /// Connects to a port of this machine.
    init(port: Int) throws {
        descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var now: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &now, socklen_t(MemoryLayout<Int32>.size))
        var server = sockaddr_in()
        server.sin_family = sa_family_t(AF_INET)
        server.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &server.sin_addr)
        let code = withUnsafePointer(to: &server) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw Broken() }
    }

    deinit { close(descriptor) }

    /// Sends a request, which is small enough for the socket's buffer.
    func send(_ request: Data) throws {
        let count = request.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count == request.count else { throw Broken() }
    }

    /// Reads what has come.
    ///
    /// - Returns: The part of `buffer` that was filled; empty if nothing has come.
    /// - Throws: If the server has closed the connection.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> UnsafeRawBufferPointer {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count < 0, errno == EAGAIN { return UnsafeRawBufferPointer(rebasing: buffer[..<0]) }
        guard count > 0 else { throw Broken() }
        return UnsafeRawBufferPointer(rebasing: buffer[..<count])
    }
}
