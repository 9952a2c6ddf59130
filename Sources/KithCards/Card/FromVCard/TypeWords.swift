/// The contexts, features and preference of a property, from TYPE and PREF.
///
/// Every entry can have them, so parsing avoids allocations: words are compared in place, and entries share equal sets.
struct TypeWords {
    private(set) var contexts: Set<Card.Context> = []
    private(set) var features: Set<Card.Phone.Feature> = []
    /// PREF, or 1 for the word of TYPE that versions before 4.0 use in its place.
    private(set) var pref: Int?
    /// Whether TYPE has other words.
    private(set) var hasOtherWords = false
    /// Whether `INTERNET`, in capitals, is the only other word.
    private(set) var isInternetAlone = false
    /// Whether there are parameters other than TYPE, PREF, CHARSET and ENCODING.
    private(set) var hasOtherParameters = false

    init(of property: VCard.Property) {
        var bits: (contexts: Int, features: Int) = (0, 0)
        property.forEachParameter { name, value in
            if name?.spells("PREF") == true {
                pref = Int(String(decoding: value, as: UTF8.self)).map { min(max($0, 1), 100) } ?? pref ?? 1
            } else if name?.spells("TYPE") ?? true {
                Self.forEachWord(in: value) { word in
                    if let bit = Self.contextBits.first(where: { word.spells($0.word) })?.bit {
                        bits.contexts |= bit
                    } else if let bit = Self.featureBits.first(where: { word.spells($0.word) })?.bit {
                        bits.features |= bit
                    } else if word.spells("PREF") {
                        pref = pref ?? 1
                    } else {
                        isInternetAlone = !hasOtherWords && word.elementsEqual("INTERNET".utf8)
                        hasOtherWords = true
                    }
                }
                // A value without a name can belong to another parameter.
                hasOtherParameters = hasOtherParameters || name == nil && hasOtherWords
            } else if name?.spells("CHARSET") == false, name?.spells("ENCODING") == false {
                hasOtherParameters = true
            }
        }
        contexts = Self.contextSets[bits.contexts]
        features = Self.featureSets[bits.features]
    }

    private static func forEachWord(
        in value: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        var start = 0
        for end in 0...value.count where end == value.count || value[end].isBetweenWords {
            if start < end { body(UnsafeBufferPointer(rebasing: value[start..<end])) }
            start = end + 1
        }
    }

    private static let contextBits = bits(of: Card.Context.self)
    private static let featureBits = bits(of: Card.Phone.Feature.self)
    private static let contextSets = sets(of: Card.Context.self)
    private static let featureSets = sets(of: Card.Phone.Feature.self)

    /// Each word with the bit of the case that it stands for.
    private static func bits<Case: TypeWord>(of: Case.Type) -> [(word: StaticString, bit: Int)] {
        let bits = Dictionary(uniqueKeysWithValues: Case.allCases.enumerated().map { ($0.element, 1 << $0.offset) })
        return Case.typeWords.map { ($0.word, bits[$0.meaning] ?? 0) }
    }

    /// All sets of cases, indexed by their bits. Entries share them.
    private static func sets<Case: TypeWord>(of: Case.Type) -> [Set<Case>] {
        (0..<1 << Case.allCases.count).map { bits in
            Set(Case.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
        }
    }
}

extension UInt8 {
    fileprivate var isBetweenWords: Bool { self == .comma || self == .quote || self == .space }
}

extension VCard.Property {
    /// Calls `body` with each parameter's name (nil for a value alone) and its value, as written.
    fileprivate func forEachParameter(
        _ body: (UnsafeBufferPointer<UInt8>?, UnsafeBufferPointer<UInt8>) -> Void
    ) {
        withHeader { bytes, name, header in
            VCard.Parameters.forEach(in: bytes, name.upperBound..<header.upperBound) { name, value in
                body(name.map { UnsafeBufferPointer(rebasing: bytes[$0]) }, UnsafeBufferPointer(rebasing: bytes[value]))
            }
        }
    }
}

extension Card.Context: TypeWord {
    static let typeWords: [(word: StaticString, meaning: Self)] = [
        ("HOME", .private), ("WORK", .work), ("BILLING", .billing), ("DELIVERY", .delivery),
    ]
}

extension Card.Phone.Feature: TypeWord {
    static let typeWords: [(word: StaticString, meaning: Self)] = [
        ("CELL", .mobile), ("MOBILE", .mobile), ("IPHONE", .mobile), ("VOICE", .voice), ("TEXT", .text),
        ("VIDEO", .video), ("MAIN-NUMBER", .mainNumber), ("MAIN", .mainNumber), ("TEXTPHONE", .textphone),
        ("FAX", .fax), ("PAGER", .pager),
    ]
}
