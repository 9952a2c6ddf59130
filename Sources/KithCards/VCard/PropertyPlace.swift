/// Where a property stands in the bytes of its card, and what has to be undone to read it.
struct PropertyPlace {
    /// How a property was written.
    struct Manner: OptionSet {
        let rawValue: UInt16

        /// A line ends between the name and the colon.
        static let foldedHeader = Manner(rawValue: 1)
        /// A line ends within the value.
        static let foldedValue = Manner(rawValue: 2)
        static let quotedPrintable = Manner(rawValue: 4)
        static let base64 = Manner(rawValue: 8)
        static let parameters = Manner(rawValue: 16)
        static let charset = Manner(rawValue: 32)
        /// A parameter that is a value alone, as version 2.1 has them.
        static let bareParameter = Manner(rawValue: 64)
        /// The value is a card, from its BEGIN to its END.
        static let nested = Manner(rawValue: 128)
        /// A CR alone ends a line of the card.
        static let linesEndInCR = Manner(rawValue: 256)
        /// The charset that it names is not UTF-8, and perhaps none that is known.
        static let foreignCharset = Manner(rawValue: 512)
        /// Its name is one of those that have a day.
        static let day = Manner(rawValue: 1024)

        /// Whether only version 2.1 writes so.
        var isIn2_1: Bool { !isDisjoint(with: [.quotedPrintable, .bareParameter]) }
    }

    // 32 bits each: a card is never larger, and there are many of these.
    private var bounds: (start: UInt32, colon: UInt32, valueEnd: UInt32, end: UInt32)
    var manner: Manner

    init(start: Int, colon: Int, manner: Manner) {
        bounds = (UInt32(start), UInt32(colon), UInt32(colon + 1), UInt32(colon + 1))
        self.manner = manner
    }

    /// Where its line begins.
    var start: Int { Int(bounds.start) }
    /// Where the colon is that ends name and parameters.
    var colon: Int { Int(bounds.colon) }
    /// Where the value ends, before the line end.
    var valueEnd: Int {
        get { Int(bounds.valueEnd) }
        set { bounds.valueEnd = UInt32(newValue) }
    }
    /// Where what belongs to it ends: the line end, and the empty lines after base64.
    var end: Int {
        get { Int(bounds.end) }
        set { bounds.end = UInt32(newValue) }
    }

    var header: Range<Int> { start..<colon }
    var value: Range<Int> { colon + 1..<valueEnd }
    var range: Range<Int> { start..<end }

    /// Whether both have their values at the same place.
    func hasValue(of other: PropertyPlace) -> Bool { value == other.value && manner == other.manner }

    /// The place after `count` bytes were put in (or, if negative, taken out) before it.
    func moved(by count: Int) -> PropertyPlace {
        var place = self
        place.bounds = (
            UInt32(start + count), UInt32(colon + count), UInt32(valueEnd + count), UInt32(end + count)
        )
        return place
    }
}
