import KithCards
import KithModel

/// The last digits of a sought number. They select the few cards whose numbers a look-up has to parse.
///
/// All spellings of a number end with the same digits, or contain these digits before an extension or a note; letters
/// can stand for digits, as in `1-800-FLOWERS`. So a card without these digits does not have the number. A card with
/// them may have it.
struct NumberEnding {
    /// The digits as bytes 0 to 9.
    private let digits: [UInt8]
    /// The trace of a number that is written with these digits and separators only.
    private let trace: Int

    /// The number of digits that are compared.
    private static let length = 4

    /// Nil if the sought number is a text, or is too short: a written national prefix would then be among its last
    /// digits.
    init?(_ sought: PhoneIdentity) {
        switch sought {
        case .e164(let number):
            guard number.digits.count - number.countryCodeLength >= Self.length else { return nil }
            digits = number.digits.suffix(Self.length)
        case .digits(let written): digits = written.suffix(Self.length)
        case .text: return nil
        }
        trace = digits.reduce(0) { $0 * 10 + Int($1) }
    }

    /// Whether one of the card's numbers may be the sought one.
    func mayBe(on card: IndexedCard) -> Bool {
        if let traces = card.marks.traces { return traces.contains(trace) }
        return card.card.phones.contains { mayBe(in: $0.number) }
    }

    /// Whether a text may be a spelling of the sought number.
    func mayBe(in text: String) -> Bool {
        // The parameters of a `tel:` URI can precede its number, and its characters can be escaped.
        if text.utf8.contains(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "%") }) { return true }
        return isPart(of: Digits.read(text)) || isPart(of: Digits.read(Self.dialled(text)))
    }

    private func isPart(of written: [UInt8]) -> Bool {
        written.indices.contains { written[$0...].starts(with: digits) }
    }

    /// The text with the digit of each Latin letter on a telephone's keys (ITU-T E.161).
    private static func dialled(_ text: String) -> String {
        var dialled = String.UnicodeScalarView()
        for letter in text.unicodeScalars {
            let place = Int(letter.value | 0x20) - 0x61
            dialled.append(keys.indices.contains(place) ? keys[place] : letter)
        }
        return String(dialled)
    }

    /// The keys of the letters a to z.
    private static let keys = Array("22233344455566677778889999".unicodeScalars)
}
