import Foundation

/// An IP address of version 4 or 6.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four or sixteen bytes.
    let bytes: [UInt8]

    /// The address that `text` describes; nil if it describes none. An IPv4 address inside an IPv6 address
    /// (`::ffff:192.0.2.1`) is read as the IPv4 address.
    public init?(_ text: some StringProtocol) {
        let text = String(text.prefix { $0 != "%" })
        var short = in_addr()
        var long = in6_addr()
        if inet_pton(AF_INET, text, &short) == 1 {
            bytes = withUnsafeBytes(of: &short) { Array($0) }
        } else if inet_pton(AF_INET6, text, &long) == 1 {
            let all = withUnsafeBytes(of: &long) { Array($0) }
            bytes = all.starts(with: Self.mapped) ? Array(all[12...]) : all
        } else {
            return nil
        }
    }

    init(bytes: [UInt8]) { self.bytes = bytes }

    private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Whether it is a loopback address.
    public var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
    }

    /// Whether it is a loopback address, or an address of a private network (RFC 1918 and 4193).
    var isPrivate: Bool {
        if isLoopback { return true }
        if bytes.count == 16 { return bytes[0] & 0xFE == 0xFC }
        return bytes[0] == 10 || (bytes[0] == 172 && bytes[1] & 0xF0 == 16) || (bytes[0] == 192 && bytes[1] == 168)
    }

    /// The usual text form.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The network to which limits of codes apply: the first 24 bits of IPv4, the first 56 bits of IPv6.
    package var network: String {
        let length = bytes.count == 4 ? 3 : 7
        return "\(IPAddress(bytes: Array(bytes.prefix(length)) + Array(repeating: 0, count: bytes.count - length)))"
    }

    /// The address to which limits apply. For IPv6, it is the first 64 bits, because a client can change the other bits
    /// at will.
    package var limitedAddress: IPAddress { bytes.count == 4 ? self : IPAddress(bytes: Array(bytes.prefix(8))) }
}
