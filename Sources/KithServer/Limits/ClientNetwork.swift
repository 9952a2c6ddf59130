/// The network of a client: the first 24 bits of an IPv4 address, or the first 56 bits of an IPv6 address. Limits count the
/// clients of a network together.
///
/// The database has only hashes of networks. The exception is a ceremony of a passkey, which is deleted after some minutes.
package struct ClientNetwork: Hashable, Sendable {
    private let write: @Sendable () -> String

    /// The first address of the network, such as `203.0.113.0`.
    package var text: String { write() }

    package init(_ text: String) { write = { text } }

    /// The network whose ``text`` is written when it is needed. Each round names its network, and few need it.
    init(writing text: @escaping @Sendable () -> String) { write = text }

    package static func == (one: ClientNetwork, other: ClientNetwork) -> Bool { one.text == other.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
