/// The contacts under one letter.
public struct ContactSection: Hashable, Sendable, Identifiable {
    /// The letter; `#` for contacts that do not begin with a letter.
    public let title: String
    /// The contacts, in order.
    public let contacts: [Contact]

    /// The title, which is unique.
    public var id: String { title }
}
