import Foundation

/// Opens connections to the servers of this machine.
enum Loopback {
    /// Opens a connection, which sends without delay.
    ///
    /// - Parameters:
    ///   - port: The port of the server.
    ///   - source: The address of this side, in 127.0.0.0/8; nil lets the system choose it.
    ///   - patience: How long to wait for the next bytes, in seconds; nil waits for ever.
    /// - Returns: The descriptor; nil if nothing listens at the port.
    static func connect(to port: Int, from source: String? = nil, patience: Int? = nil) -> Int32? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var now: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &now, socklen_t(MemoryLayout<Int32>.size))
        if let patience {
            var limit = timeval(tv_sec: patience, tv_usec: 0)
            setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        let isBound = source.map { succeeds(at: $0, 0) { Glibc.bind(socket, $0, $1) } } ?? true
        guard isBound, succeeds(at: "127.0.0.1", port, { Glibc.connect(socket, $0, $1) }) else {
            Glibc.close(socket)
            return nil
        }
        return socket
    }

    private static func succeeds(
        at host: String, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
