import Foundation
import Testing

/// A port of this machine that takes connections and never says a word; or one that is only kept, so that no other program
/// takes it, and where everybody is refused.
struct LoopbackSocket {
    private let socket: Int32
    let port: Int

    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - isListening: Whether connections are taken.
    /// - Throws: If the port cannot be had.
    init(port: Int = 0, isListening: Bool) throws {
        #if canImport(Darwin)
            socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #else
            socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var (yes, length) = (Int32(1), socklen_t(MemoryLayout<sockaddr_in>.size))
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let socket = socket
        let isOurs = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && (!isListening || listen(socket, 8) == 0)
                    && getsockname(socket, address, &length) == 0
            }
        }
        try #require(isOurs, "The port cannot be had.")
        self.port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// Waits until somebody connects.
    ///
    /// - Returns: The connection. The caller closes it.
    func connection() async throws -> Int32 {
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        while true {
            let connection = accept(socket, nil, nil)
            if connection >= 0 { return connection }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    func close() {
        #if canImport(Darwin)
            _ = Darwin.close(socket)
        #else
            _ = Glibc.close(socket)
        #endif
    }
}
