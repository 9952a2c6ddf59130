/// The members of an object in JSON, one after another, without decoding them: the name and the value of each, as they
/// are written.
///
/// It reads only what ``StoredText`` has written: JSON without spaces.
struct StoredMembers {
    /// The text does not have this form.
    struct Unreadable: Error {}

    private let bytes: UnsafeBufferPointer<UInt8>
    private var place = 1

    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(Unreadable) {
        guard bytes.count >= 2, bytes[0] == UInt8(ascii: "{"), bytes[bytes.count - 1] == UInt8(ascii: "}") else {
            throw Unreadable()
        }
        self.bytes = bytes
    }

    /// The next member; nil after the last one. Its name has no quotes.
    mutating func next() throws(Unreadable) -> (name: Range<Int>, value: Range<Int>)? {
        guard place < bytes.count - 1 else { return nil }
        let name = place + 1
        try skipText()
        let nameEnd = place - 1
        guard place < bytes.count, bytes[place] == UInt8(ascii: ":") else { throw Unreadable() }
        place += 1
        let value = place
        try skipValue()
        let valueEnd = place
        guard valueEnd > value, place < bytes.count else { throw Unreadable() }
        switch bytes[place] {
        case UInt8(ascii: ","): place += 1
        case UInt8(ascii: "}") where place == bytes.count - 1: break
        default: throw Unreadable()
        }
        return (name..<nameEnd, value..<valueEnd)
    }

    private mutating func skipValue() throws(Unreadable) {
        var depth = 0
        repeat {
            guard place < bytes.count else { throw Unreadable() }
            switch bytes[place] {
            case UInt8(ascii: "\""): try skipText()
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                place += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                guard depth > 0 else { throw Unreadable() }
                depth -= 1
                place += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { throw Unreadable() }
                place += 1
            default: skipWord()
            }
        } while depth > 0
    }

    /// Skips a number, true, false or null.
    private mutating func skipWord() {
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "\""),
                UInt8(ascii: "["), UInt8(ascii: "{"):
                return
            default: place += 1
            }
        }
    }

    private mutating func skipText() throws(Unreadable) {
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { throw Unreadable() }
        place += 1
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                place += 1
                return
            case UInt8(ascii: "\\"): place += 2
            default: place += 1
            }
        }
        throw Unreadable()
    }
}
