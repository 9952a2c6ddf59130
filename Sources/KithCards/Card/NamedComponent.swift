/// A part of a name or an address: its kind and its text.
protocol NamedComponent: Hashable {
    associatedtype PartKind: Hashable

    /// The kind of a separator between two parts.
    static var separator: PartKind { get }

    var kind: PartKind { get }
    var value: String { get set }

    init(kind: PartKind, value: String)
}
