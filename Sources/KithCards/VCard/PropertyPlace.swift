/// The ranges of a property in the bytes of its card, and the steps that decode it.
struct PropertyPlace {
    /// How a property was written.
    struct Manner: OptionSet {
        let rawValue: UInt16

        /// The header is folded.
        static let foldedHeader = Manner(rawValue: 1)
        /// The value is folded.
        static let foldedValue = Manner(rawValue: 2)
        static let quotedPrintable = Manner(rawValue: 4)
        static let base64 = Manner(rawValue: 8)
        static let parameters = Manner(rawValue: 16)
        static let charset = Manner(rawValue: 32)
        /// A parameter is a value alone, as in version 2.1.
        static let bareParameter = Manner(rawValue: 64)
        /// The value is a card, from its BEGIN to its END.
        static let nested = Manner(rawValue: 128)
        /// A CR alone ends a line of the card.
        static let linesEndInCR = Manner(rawValue: 256)
        /// It declares a charset other than UTF-8, possibly an unknown one.
        static let foreignCharset = Manner(rawValue: 512)
        /// Its name is that of a date property.
        static let day = Manner(rawValue: 1024)

        /// Whether only version 2.1 writes properties in this way.
        var isIn2_1: Bool { !isDisjoint(with: [.quotedPrintable, .bareParameter]) }
    }

    // 32 bits are enough for the largest card, and there are many of these.
    private var bounds: (start: UInt32, colon: UInt32, valueEnd: UInt32, end: UInt32)
    var manner: Manner

    init(start: Int, colon: Int, manner: Manner) {
        bounds = (UInt32(start), UInt32(colon), UInt32(colon + 1), UInt32(colon + 1))
        self.manner = manner
    }

    /// The start of its line.
    var start: Int { Int(bounds.start) }
    /// The index of the colon after name and parameters.
    var colon: Int { Int(bounds.colon) }
    /// The end of the value, before the line end.
    var valueEnd: Int {
        get { Int(bounds.valueEnd) }
        set { bounds.valueEnd = UInt32(newValue) }
    }
    /// The end of all its bytes: with the line end, and the empty lines after base64.
    var end: Int {
        get { Int(bounds.end) }
        set { bounds.end = UInt32(newValue) }
    }

    var header: Range<Int> { start..<colon }
    var value: Range<Int> { colon + 1..<valueEnd }
    var range: Range<Int> { start..<end }

    /// Whether both values have the same range.
    func hasValue(of other: PropertyPlace) -> Bool { value == other.value && manner == other.manner }

    /// The place after the insertion of `count` bytes before it. A negative count removes bytes.
    func moved(by count: Int) -> PropertyPlace {
        var place = self
        place.bounds = (
            UInt32(start + count), UInt32(colon + count), UInt32(valueEnd + count), UInt32(end + count)
        )
        return place
    }
}
