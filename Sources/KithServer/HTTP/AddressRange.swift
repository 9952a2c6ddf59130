import Foundation

/// A range of addresses, written as one address or as a network: `10.0.0.0/8`.
public struct AddressRange: Hashable, Sendable {
    private let base: IPAddress
    private let length: Int

    /// The range that `text` describes; nil if it describes none.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let base = IPAddress(parts[0]) else { return nil }
        let most = base.bytes.count * 8
        guard let length = parts.count == 1 ? most : Int(parts[1]), (0...most).contains(length) else { return nil }
        self.base = base
        self.length = length
    }

    /// Whether the range contains an address.
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
    /// Each proxy appends the address of its own client to `X-Forwarded-For`. The list is therefore read from the
    /// end, and only as far as trusted proxies have written it: the client can have invented everything before that.
    ///
    /// - Parameters:
    ///   - peer: The address at the other end of the connection.
    ///   - forwarded: The values of `X-Forwarded-For`, in order.
    ///   - trusted: The trusted reverse proxies.
    /// - Returns: The nearest address that does not belong to a trusted proxy.
    static func client(peer: IPAddress, forwarded: [String], trusted: [AddressRange]) -> IPAddress {
        var client = peer
        for text in forwarded.flatMap({ $0.split(separator: ",") }).reversed() {
            guard trusted.contains(where: { $0.contains(client) }) else { break }
            guard let address = IPAddress(text.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" })
            else { break }
            client = address
        }
        return client
    }
}
