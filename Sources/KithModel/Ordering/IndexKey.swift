/// A position in an order. There is room for another position between any two.
///
/// A key is a sequence of whole numbers, compared from the left; a shorter sequence comes before its continuations.
/// There is always a key between two others: one in the gap between two numbers, or the first key with a number
/// appended. Each number is encoded so that comparing texts byte by byte compares the numbers: a head for sign and
/// length, then digits of base 62. This is similar to the order keys of Figma and Rocicorp, but nested.
///
/// Repeated inserts at one place, each after or each before the last, count up or down in one number, so n inserts need
/// O(log n) bytes: 10,000 of them need at most 8 bytes, and 10,000 at random places at most 32. Inserting always
/// between the last two costs two bytes for every second insert. When a key would exceed ``Limits/indexKey``, that part
/// of the list gets new keys (see `Arrangement`).
public struct IndexKey: Hashable, Sendable {
    /// The key in its encoded form.
    public let text: String

    /// Parses a key; nil if `text` is not valid or longer than ``Limits/indexKey``.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Limits.indexKey else { return nil }
        // Lists have thousands of keys, and most are only compared. Therefore the numbers are not kept.
        var rest = text.utf8[...]
        while !rest.isEmpty {
            guard Self.read(&rest) != nil else { return nil }
        }
        self.text = text
    }

    /// The numbers of the key. Its text was checked when the key was made.
    private var numbers: [Int] {
        var rest = text.utf8[...]
        var numbers: [Int] = []
        while let number = Self.read(&rest) { numbers.append(number) }
        return numbers
    }

    private init(_ numbers: [Int]) {
        var text = ""
        for number in numbers { Self.write(number, to: &text) }
        self.text = text
    }

    /// The first key of an empty order.
    public static let first = IndexKey([0])

    /// A key after `left` and before `right`; nil stands for the start or the end.
    ///
    /// - Returns: nil if `left` is not before `right`. They are equal if two devices inserted at the same place at the
    ///   same time. Also nil if `right` is the least key that can be encoded, which counting never reaches.
    public static func between(_ left: IndexKey?, _ right: IndexKey?) -> IndexKey? {
        switch (left?.numbers, right?.numbers) {
        case (nil, nil): return .first
        case (nil, let right?): return before(right, sharing: 0)
        case (let left?, nil): return IndexKey(after(left[...]))
        case (let left?, let right?):
            let common = zip(left, right).prefix { $0 == $1 }.count
            let shared = Array(left[..<common])
            if common == right.count { return nil }
            if common == left.count { return before(right, sharing: common) }
            let gap = right[common] - left[common]
            if gap < 1 { return nil }
            if gap > 1 { return IndexKey(shared + [left[common] + gap / 2]) }
            return IndexKey(shared + [left[common]] + after(left[(common + 1)...]))
        }
    }

    /// Increments the first number that has room; appends one if there is none.
    private static func after(_ numbers: ArraySlice<Int>) -> [Int] {
        let full = numbers.prefix { $0 == range.upperBound }
        return full + [numbers.dropFirst(full.count).first.map { $0 + 1 } ?? 0]
    }

    /// A key that shares the first `common` numbers with `right` and is before it.
    private static func before(_ right: [Int], sharing common: Int) -> IndexKey? {
        if right[common] > range.lowerBound { return IndexKey(right[..<common] + [right[common] - 1]) }
        return right.count > common + 1 ? IndexKey(Array(right[...common])) : nil
    }

    /// `count` keys in order, as short as possible.
    public static func spread(_ count: Int) -> [IndexKey] {
        (0..<count).map { IndexKey([$0]) }
    }

    /// `count` keys in order, after `left` and before `right`; nil stands for the start or the end.
    ///
    /// - Returns: nil if there is no room for them with at most `bytes` each.
    package static func keys(
        _ count: Int, after left: IndexKey?, before right: IndexKey?, upTo bytes: Int
    ) -> [IndexKey]? {
        var keys: [IndexKey] = []
        for _ in 0..<count {
            guard let key = between(keys.last ?? left, right), key.text.utf8.count <= bytes else { return nil }
            keys.append(key)
        }
        return keys
    }

    /// The numbers that can be encoded, with up to ten digits of base 62.
    private static let range = -839_299_365_868_340_224...839_299_365_868_340_223

    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// The value of a digit of base 62; nil for any other character.
    private static func value(of digit: UInt8) -> Int? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit - UInt8(ascii: "A")) + 10
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit - UInt8(ascii: "a")) + 36
        default: nil
        }
    }

    /// The heads of numbers from 0 up are `a`, `b` …, one letter for each length; those of negative numbers are `Z`,
    /// `Y` ….
    private static func write(_ number: Int, to text: inout String) {
        var magnitude = number >= 0 ? number : -(number + 1)
        var written: [UInt8] = []
        repeat {
            written.append(number >= 0 ? digits[magnitude % 62] : digits[61 - magnitude % 62])
            magnitude /= 62
        } while magnitude > 0
        let head =
            number >= 0
            ? UInt8(ascii: "a") + UInt8(written.count - 1) : UInt8(ascii: "Z") - UInt8(written.count - 1)
        text += String(decoding: [head] + written.reversed(), as: UTF8.self)
    }

    private static func read(_ rest: inout Substring.UTF8View) -> Int? {
        guard let head = rest.popFirst() else { return nil }
        let isNegative: Bool
        let count: Int
        switch head {
        case UInt8(ascii: "a")...UInt8(ascii: "j"): (isNegative, count) = (false, Int(head - UInt8(ascii: "a")) + 1)
        case UInt8(ascii: "Q")...UInt8(ascii: "Z"): (isNegative, count) = (true, Int(UInt8(ascii: "Z") - head) + 1)
        default: return nil
        }
        var magnitude = 0
        for index in 0..<count {
            guard let digit = rest.popFirst(), let value = value(of: digit) else { return nil }
            let part = isNegative ? 61 - value : value
            if index == 0 && part == 0 && count > 1 { return nil }
            magnitude = magnitude * 62 + part
        }
        return isNegative ? -magnitude - 1 : magnitude
    }
}

extension IndexKey: Comparable {
    /// Whether `left` comes before `right`: compares their texts byte by byte.
    public static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension IndexKey: CustomStringConvertible {
    /// The key's text.
    public var description: String { text }
}
