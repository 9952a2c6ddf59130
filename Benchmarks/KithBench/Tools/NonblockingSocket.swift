import Foundation

/// A connection to a server of this machine that never waits, so that one thread can serve thousands of them.
final class NonblockingSocket {
    struct Broken: Error {}

    let descriptor: Int32

    /// Connects to a port of this machine.
    init(port: Int) throws {
        guard let descriptor = Loopback.connect(to: port) else { throw Broken() }
        self.descriptor = descriptor
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw Broken() }
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
