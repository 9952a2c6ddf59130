/// A part of a name or of an address: what it is, and the text of it.
protocol NamedComponent: Hashable {
    associatedtype PartKind: Hashable

    /// The kind of what stands between two parts.
    static var separator: PartKind { get }

    var kind: PartKind { get }
    var value: String { get set }

    init(kind: PartKind, value: String)
}
