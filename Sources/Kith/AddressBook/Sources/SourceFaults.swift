public import KithModel

/// What could not be read in a source: as many faults as anyone looks at, and how many more there were.
///
/// So a file of broken lines takes no more memory than a page of them. The cards' bytes are not kept: they are in the
/// source.
public struct SourceFaults: Hashable, Sendable {
    /// How many faults of a source are kept.
    public static let limit = 1_000
    /// How many of them one file of a folder, or one address of an account, may have.
    static let limitOfOnePlace = 100

    private var kept: [VCardFault] = []
    /// How many there were beyond those that are kept.
    public private(set) var more = 0

    /// How many there were altogether.
    public var total: Int { kept.count + more }

    /// The first of these faults, and the number of the others.
    public init(_ faults: some Sequence<VCardFault> = []) {
        for fault in faults { append(fault) }
    }

    /// Adds a fault, without its bytes.
    public mutating func append(_ fault: VCardFault) {
        if kept.count < Self.limit {
            kept.append(VCardFault(line: fault.line, fault.sentence, bytes: []))
        } else {
            more += 1
        }
    }

    /// Adds those of a part of the source.
    mutating func append(_ part: SourceFaults) {
        for fault in part { append(fault) }
        more += part.more
    }

    /// Those of one place, with its name.
    func named(_ name: String) -> SourceFaults {
        var named = SourceFaults(prefix(Self.limitOfOnePlace).map { VCardFault(line: $0.line, $0.sentence, in: name) })
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
    public subscript(place: Int) -> VCardFault { kept[place] }
}

extension SourceFaults: ExpressibleByArrayLiteral {
    /// These faults.
    public init(arrayLiteral faults: VCardFault...) { self.init(faults) }
}
