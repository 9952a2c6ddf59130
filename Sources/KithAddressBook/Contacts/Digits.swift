import KithModel

/// The digits of numbers, packed into keys that sort by their first digits.
enum Digits {
    /// The digits of a text in any script, as bytes 0 to 9; separators and letters are left out.
    static func read(_ text: String) -> [UInt8] {
        var digits: [UInt8] = []
        for character in text.unicodeScalars {
            if character.isASCII {
                if "0"..."9" ~= character { digits.append(UInt8(character.value) - UInt8(ascii: "0")) }
            } else if character.properties.numericType == .decimal, let value = character.properties.numericValue {
                digits.append(UInt8(value))
            }
        }
        return digits
    }

    /// The maximum number of digits in a key.
    static let most = 16

    /// The keys of all numbers that begin with these digits. Digits after the 16th are ignored.
    ///
    /// A digit takes four bits, from the highest bits down, with the values 1 to 10; 0 marks the end.
    static func keys(beginningWith digits: some Collection<UInt8>) -> ClosedRange<UInt64> {
        var key: UInt64 = 0
        var free = 64
        for digit in digits.prefix(most) {
            free -= 4
            key |= UInt64(digit + 1) << UInt64(free)
        }
        return key...(key | (free == 64 ? .max : (1 << UInt64(free)) - 1))
    }

    /// The key of a number with these digits.
    static func key(of digits: some Collection<UInt8>) -> UInt64 { keys(beginningWith: digits).lowerBound }
}

extension E164 {
    /// The digits as bytes 0 to 9.
    var digits: some Collection<UInt8> { text.utf8.dropFirst().lazy.map { $0 - UInt8(ascii: "0") } }

    /// The number of digits of the country code (ITU-T E.164, List of assigned country codes). No code is the prefix of
    /// another.
    var countryCodeLength: Int {
        let first = text.utf8.dropFirst().prefix(2).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        switch first {
        case 10...19, 70...79: return 1
        case 20, 27, 30...34, 36, 39, 40, 41, 43...49, 51...58, 60...66, 81, 82, 84, 86, 90...95, 98: return 2
        default: return 3
        }
    }
}
