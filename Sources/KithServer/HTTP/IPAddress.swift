package import Foundation

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
            self.init(bytes: withUnsafeBytes(of: &short) { Array($0) })
        } else if inet_pton(AF_INET6, text, &long) == 1 {
            self.init(network: withUnsafeBytes(of: &long) { Array($0) })
        } else {
            return nil
        }
    }

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Hashes all bytes at once. Each request is counted toward several limits of its address.
    public func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }

    /// The address of four or sixteen bytes. An IPv4 address inside an IPv6 address is read as the IPv4 address.
    init(network bytes: [UInt8]) {
        self.bytes = bytes.starts(with: Self.mapped) && bytes.count == 16 ? Array(bytes[12...]) : bytes
    }

    private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Whether it is a loopback address.
    public var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
    }

    /// Whether the host of an address is this machine. An address there may be http, for development.
    static func isLoopback(host: String) -> Bool { ["127.0.0.1", "[::1]", "::1", "localhost"].contains(host) }

    /// Whether it is a loopback address, or an address of a private network (RFC 1918 and 4193).
    var isPrivate: Bool {
        if isLoopback { return true }
        if bytes.count == 16 { return bytes[0] & 0xFE == 0xFC }
        return bytes[0] == 10 || (bytes[0] == 172 && bytes[1] & 0xF0 == 16) || (bytes[0] == 192 && bytes[1] == 168)
    }

    /// Whether it is an address of the public internet: none of a machine itself, of a private or local network, of several
    /// receivers, of examples, or reserved (RFC 6890).
    package var isPublic: Bool {
        if bytes.count == 4 { return Self.isPublic(bytes[0], bytes[1], bytes[2]) }
        // A network without IPv4 reaches IPv4 addresses through these (RFC 6052).
        if bytes.starts(with: Self.translated) { return Self.isPublic(bytes[12], bytes[13], bytes[14]) }
        let isSpecial =
            bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8]) || bytes.starts(with: [0x20, 0x02])
            || (bytes.starts(with: [0x20, 0x01]) && bytes[2] < 2) || bytes.starts(with: [0x3F, 0xFF])
        return bytes[0] & 0xE0 == 0x20 && !isSpecial
    }

    private static let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B] + Array(repeating: 0, count: 8)

    private static func isPublic(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        switch (first, second, third) {
        case (0, _, _), (10, _, _), (127, _, _), (224..., _, _), (100, 64...127, _), (169, 254, _), (172, 16...31, _),
            (192, 168, _), (198, 18...19, _), (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 51, 100), (203, 0, 113):
            false
        default: true
        }
    }

    /// The usual text form.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The network of a client with this address.
    package var network: ClientNetwork {
        ClientNetwork(writing: { [bytes] in
            let length = bytes.count == 4 ? 3 : 7
            let rest = Array(repeating: 0 as UInt8, count: bytes.count - length)
            return IPAddress(bytes: Array(bytes.prefix(length)) + rest).description
        })
    }

    /// The address to which limits apply. For IPv6, it is the first 64 bits, because a client can change the other bits
    /// at will.
    package var limitedAddress: IPAddress { bytes.count == 4 ? self : IPAddress(bytes: Array(bytes.prefix(8))) }
}

extension IPAddress: SharedCaller {
    package var sharedBytes: Data { Data(bytes) }

    /// The limited address of these bytes.
    package init?(sharedBytes: Data) {
        guard [4, 8].contains(sharedBytes.count) else { return nil }
        self.init(bytes: [UInt8](sharedBytes))
    }
}
