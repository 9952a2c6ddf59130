/// The faults of a source: the first ones, and the number of all others.
///
/// The limit bounds the memory for a file that is full of broken lines. The cards' bytes are not stored, because the
/// source has them.
public struct SourceFaults: Hashable, Sendable {
    /// The number of faults that are kept for a source.
    public static let limit = 1_000
    /// The number of faults that are kept for one file of a folder, or one address of an account.
    static let limitOfOnePlace = 100

    private var kept: [SourceFault] = []
    /// The number of faults beyond those that are kept.
    public private(set) var more = 0

    /// The number of all faults.
    public var total: Int { kept.count + more }

    /// The first of these faults, and the number of the others.
    public init(_ faults: some Sequence<SourceFault> = []) {
        for fault in faults { append(fault) }
    }

    /// Adds a fault, or counts it.
    public mutating func append(_ fault: SourceFault) {
        if kept.count < Self.limit { kept.append(fault) } else { more += 1 }
    }

    /// Adds the faults of a part of the source.
    mutating func append(_ part: SourceFaults) {
        for fault in part { append(fault) }
        more += part.more
    }

    /// The faults of one file or address, with its name.
    func named(_ name: String) -> SourceFaults {
        var named = SourceFaults(prefix(Self.limitOfOnePlace).map { SourceFault(line: $0.line, $0.sentence, in: name) })
        named.more = total - named.count
        return named
    }
}

extension SourceFaults: RandomAccessCollection {
    /// The place of the first fault.
    public var startIndex: Int { 0 }
    /// The place after the last fault that is kept.
    public var endIndex: Int { kept.count }
    /// The fault at a place.
    public subscript(place: Int) -> SourceFault { kept[place] }
}

extension SourceFaults: ExpressibleByArrayLiteral {
    /// These faults.
    public init(arrayLiteral faults: SourceFault...) { self.init(faults) }
}
