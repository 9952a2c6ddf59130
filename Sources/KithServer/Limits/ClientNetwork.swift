/// The network of a client: the first 24 bits of an IPv4 address, or the first 56 bits of an IPv6 address. Limits count the
/// clients of a network together.
///
/// The database has only hashes of networks. The exception is a ceremony of a passkey, which is deleted after some minutes.
package struct ClientNetwork: Hashable, Sendable {
    /// The first address of the network, such as `203.0.113.0`.
    package let text: String

    package init(_ text: String) { self.text = text }
}
