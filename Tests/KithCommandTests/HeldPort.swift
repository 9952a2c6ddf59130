import Foundation
import Testing

/// The port of a server that is down, kept so that no other program takes it meanwhile. Who connects to it is refused.
struct HeldPort {
    private let socket: Int32

    init(_ server: URL) throws {
        #if canImport(Darwin)
            socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #else
            socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(try #require(server.port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let socket = socket
        let isHeld = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        try #require(isHeld, "Another program has taken the port already.")
    }

    func release() {
        #if canImport(Darwin)
            _ = Darwin.close(socket)
        #else
            _ = Glibc.close(socket)
        #endif
    }
}
