/// A title and its count on one line, in the notation that people use.
///
/// A count is only recognized if it can hardly mean anything else: at the front `3 x Milk`, `3x Milk`, `3 × Milk`; at
/// the end `Milk ×3` (but not `Photo 10 × 15`) and `Milk (x3)`. These are titles: `2 Milk` (pieces or litres?), `Milk
/// (2)` (the second?), `BMW x3`, `500 g flour`, `2xl shirt`.
///
/// If there is a count at the front, no further count is searched for. For this reason `1 x ` at the front protects a
/// title that looks like it has a count, and such titles are written in this way.
struct CountedTitle: Hashable {
    var title: String
    var count: Int64

    init(_ text: String) {
        let text = text.trimmed
        let scalars = text.unicodeScalars
        if let front = Self.front(scalars[...]) {
            self = front
        } else if let counted = Self.trailing(scalars[...]) {
            self = counted
        } else {
            self.init(title: text, count: 1)
        }
    }

    private init(title: String, count: Int64) {
        self.title = title
        self.count = count
    }

    /// The line that is read back as this title and count; `title` has no line breaks.
    static func line(title: String, count: Int) -> String {
        let bare = CountedTitle(title)
        return count == 1 && bare.count == 1 && bare.title.isExactly(title) ? title : "\(count) x \(title)"
    }

    private static func front(_ text: Substring.UnicodeScalarView) -> CountedTitle? {
        let digits = text.prefix(while: \.isDigit)
        let rest = text[digits.endIndex...].drop(while: \.isSpace)
        guard !digits.isEmpty, let sign = rest.first, sign.isTimes || sign == "x" || sign == "X" else { return nil }
        let title = rest.dropFirst()
        guard title.first?.properties.isWhitespace == true else { return nil }
        return CountedTitle(title: String(title).trimmed, count: number(digits))
    }

    private static func trailing(_ text: Substring.UnicodeScalarView) -> CountedTitle? {
        var rest = text
        let isBracketed = rest.last == ")"
        if isBracketed { rest.removeLast() }
        let digits = rest.suffix(while: \.isDigit)
        rest = rest[..<digits.startIndex].dropLast(while: \.isSpace)
        guard !digits.isEmpty, let sign = rest.popLast() else { return nil }
        if isBracketed {
            guard sign.isTimes || sign == "x" || sign == "X", rest.popLast() == "(" else { return nil }
        } else {
            guard sign.isTimes else { return nil }
        }
        guard rest.last?.properties.isWhitespace == true else { return nil }
        let title = String(rest).trimmed
        guard let last = title.unicodeScalars.last, isBracketed || !last.isDigit else { return nil }
        return CountedTitle(title: title, count: number(digits))
    }

    /// A number that is too large to be parsed becomes the maximum, which is too large for a count.
    private static func number(_ digits: Substring.UnicodeScalarView) -> Int64 { Int64(String(digits)) ?? .max }
}

extension Unicode.Scalar {
    fileprivate var isTimes: Bool { self == "×" }
    fileprivate var isSpace: Bool { self == " " || self == "\u{A0}" }
}

extension BidirectionalCollection where SubSequence == Self {
    fileprivate func suffix(while holds: (Element) -> Bool) -> SubSequence {
        var start = endIndex
        while start > startIndex, holds(self[index(before: start)]) { formIndex(before: &start) }
        return self[start...]
    }

    fileprivate func dropLast(while holds: (Element) -> Bool) -> SubSequence {
        self[..<suffix(while: holds).startIndex]
    }
}
