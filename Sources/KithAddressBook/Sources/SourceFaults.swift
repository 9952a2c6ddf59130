/// A card of a source that cannot be read, or something of one or in its place, and where it is.
public struct SourceFault: Hashable, Sendable {
    /// The file of a folder, or the card of an account, as people call it; nil where the source is one file.
    public let name: String?
    /// The line on which it begins, counted from 1.
    public let line: Int
    /// What is wrong and what to do, for people.
    public let sentence: String

    /// What is wrong on a line of something.
    public init(line: Int, _ sentence: String, in name: String? = nil) {
        (self.name, self.line, self.sentence) = (name, line, sentence)
    }
}

/// What could not be read in a source: as many faults as anyone looks at, and how many more there were.
///
/// So a file of broken lines takes no more memory than a page of them. The cards' bytes are not kept: they are in the
/// source.
public struct SourceFaults: Hashable, Sendable {
    /// How many faults of a source are kept.
    public static let limit = 1_000
    /// How many of them one file of a folder, or one address of an account, may have.
    static let limitOfOnePlace = 100

    private var kept: [SourceFault] = []
    /// How many there were beyond those that are kept.
    public private(set) var more = 0

    /// How many there were altogether.
    public var total: Int { kept.count + more }

    /// The first of these faults, and the number of the others.
    public init(_ faults: some Sequence<SourceFault> = []) {
        for fault in faults { append(fault) }
    }

    /// Adds a fault, or counts it.
    public mutating func append(_ fault: SourceFault) {
        if kept.count < Self.limit { kept.append(fault) } else { more += 1 }
    }

    /// Adds those of a part of the source.
    mutating func append(_ part: SourceFaults) {
        for fault in part { append(fault) }
        more += part.more
    }

    /// Those of one place, with its name.
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
