import Foundation

/// An address of the Internet, of version 4 or 6.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four or sixteen bytes.
    let bytes: [UInt8]

    /// The address written as `text`, or nil if that is none. A version 4 address
    /// inside one of version 6 (`::ffff:192.0.2.1`) is read as the former.
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

    /// Whether it is this machine's own.
    public var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
    }

    /// Whether it is no address of the Internet, but of this machine or of a network of one's own (RFC 1918 and 4193).
    var isPrivate: Bool {
        if isLoopback { return true }
        if bytes.count == 16 { return bytes[0] & 0xFE == 0xFC }
        return bytes[0] == 10 || (bytes[0] == 172 && bytes[1] & 0xF0 == 16) || (bytes[0] == 192 && bytes[1] == 168)
    }

    /// As it is written usually.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// What stands for one household: the address, or the 64 bits of a version 6 network, within which one may
    /// change one's address at will.
    var household: IPAddress { bytes.count == 4 ? self : IPAddress(bytes: Array(bytes.prefix(8))) }
}

/// A range of addresses, written as one address or as a network: `10.0.0.0/8`.
public struct AddressRange: Hashable, Sendable {
    private let base: IPAddress
    private let length: Int

    /// The range written as `text`, or nil if that is none.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let base = IPAddress(parts[0]) else { return nil }
        let most = base.bytes.count * 8
        guard let length = parts.count == 1 ? most : Int(parts[1]), (0...most).contains(length) else { return nil }
        self.base = base
        self.length = length
    }

    /// Whether an address lies within the range.
    public func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == base.bytes.count else { return false }
        return (0..<length).allSatisfy { bit in
            (address.bytes[bit / 8] ^ base.bytes[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
        }
    }
}

extension AddressRange {
    /// The address that a request comes from.
    ///
    /// Each proxy adds the address that it heard from at the end of `X-Forwarded-For`, so the list is read from its end, and
    /// believed only as far as those who wrote it are trusted: what is before that, the client may have made up.
    ///
    /// - Parameters:
    ///   - peer: Who opened the connection.
    ///   - forwarded: The values of `X-Forwarded-For`, in order.
    ///   - trusted: The reverse proxies.
    /// - Returns: The nearest address that no trusted proxy has.
    static func client(peer: IPAddress, forwarded: [String], trusted: [AddressRange]) -> IPAddress {
        var client = peer
        for text in forwarded.flatMap({ $0.split(separator: ",") }).reversed() {
            guard trusted.contains(where: { $0.contains(client) }) else { break }
            guard let address = IPAddress(text.trimmingCharacters(in: .whitespaces)) else { break }
            client = address
        }
        return client
    }
}
