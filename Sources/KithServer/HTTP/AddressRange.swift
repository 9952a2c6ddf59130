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
        return (0..<length).allSatisfy { position in
            let (byte, bit) = (position / 8, UInt8(0x80) >> UInt8(position % 8))
            return address.bytes[byte] & bit == base.bytes[byte] & bit
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
    /// - Returns: The nearest address that does not belong to a trusted proxy, and the entry of a trusted proxy that is no
    ///   address, which ends the reading.
    static func client(
        peer: IPAddress, forwarded: [String], trusted: [AddressRange]
    ) -> (address: IPAddress, unreadable: String?) {
        var client = peer
        for text in forwarded.flatMap({ $0.split(separator: ",") }).reversed() {
            guard trusted.contains(where: { $0.contains(client) }) else { break }
            let entry = text.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            guard let address = IPAddress(forwarded: entry) else { return (client, String(entry)) }
            client = address
        }
        return (client, nil)
    }
}

extension IPAddress {
    /// The address of an entry of `X-Forwarded-For`. Some proxies add the port: `192.0.2.1:5555`, `[2001:db8::1]:443`.
    fileprivate init?(forwarded entry: Substring) {
        let address: Substring
        let port: Substring
        if entry.hasPrefix("["), let end = entry.firstIndex(of: "]") {
            address = entry[..<end].dropFirst()
            port = entry[end...].dropFirst()
        } else if let colon = entry.firstIndex(of: ":"), entry.lastIndex(of: ":") == colon {
            (address, port) = (entry[..<colon], entry[colon...])
        } else {
            (address, port) = (entry, "")
        }
        guard port.isEmpty || (port.first == ":" && UInt16(port.dropFirst()) != nil) else { return nil }
        self.init(address)
    }
}
