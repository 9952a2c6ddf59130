/// The addresses to which a connection of the server may lead. It is decided for the address of each connection, so that a
/// name whose address changes leads nowhere else.
enum AddressReach: Hashable, Sendable {
    /// All addresses, through the proxy that the environment names.
    case everywhere
    /// Addresses of this machine, without a proxy.
    case loopback
    /// Addresses of the public internet, without a proxy.
    case publicInternet

    /// The decision in the form of libcurl; nil if all addresses are permitted.
    var permits: (@convention(c) (UnsafePointer<UInt8>?, Int) -> Bool)? {
        switch self {
        case .everywhere: return nil
        case .loopback: return { IPAddress($0, count: $1)?.isLoopback ?? false }
        case .publicInternet: return { IPAddress($0, count: $1)?.isPublic ?? false }
        }
    }
}

extension IPAddress {
    /// The address of these 4 or 16 bytes in the order of the network; nil if there are not that many.
    fileprivate init?(_ start: UnsafePointer<UInt8>?, count: Int) {
        guard let start, count == 4 || count == 16 else { return nil }
        self.init(network: Array(UnsafeBufferPointer(start: start, count: count)))
    }
}
