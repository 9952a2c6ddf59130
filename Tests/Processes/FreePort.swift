import Foundation
import Synchronization

/// Ports for programs that cannot tell which one the system has given them, or that get theirs again after a restart.
///
/// A port of the system's own range would be given to others, also to clients, before the program listens, or while it
/// restarts.
package enum FreePort {
    /// Below the ranges from which Linux and macOS give ports to those who want any.
    private static let range = 20_000..<32_000
    private static let given = Mutex<Set<Int>>([])

    /// A port of this machine at which nobody listens, and that nobody else in this process gets.
    ///
    /// - Throws: ``InVain`` if there is none.
    package static func find() throws -> Int {
        // Tests of another process on this machine look here, too.
        for port in range.shuffled() where isFree(port) {
            if given.withLock({ $0.insert(port).inserted }) { return port }
        }
        throw InVain("There is no free port.")
    }

    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, streamType, 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    #if canImport(Darwin)
        private static let streamType = SOCK_STREAM
    #else
        private static let streamType = Int32(SOCK_STREAM.rawValue)
    #endif
}
