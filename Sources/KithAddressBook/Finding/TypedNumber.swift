import KithCards
import KithModel

/// The beginning of a telephone number as typed, in each possible reading, as digits 0 to 9.
struct TypedNumber {
    /// The digits with the country code.
    private(set) var international: [[UInt8]]
    /// The digits without the country code or national prefix.
    private(set) var national: [[UInt8]] = []
    /// The digits to search within written numbers.
    let parts: [[UInt8]]
    /// The digits that may begin a number after its area code; nil if they cannot.
    let local: [UInt8]?

    /// The minimum number of digits for a search within numbers. Fewer digits are in too many numbers.
    private static let fewestDigitsWithin = 3

    /// Parses a typed text; nil if it cannot be a number.
    init?(_ typed: String, _ reader: PhoneReader) {
        let written = typed.filter { !$0.isWhitespace }
        let isNumber = written.dropFirst().allSatisfy { $0.isWholeNumber || "-./()".contains($0) }
        let digits = Digits.read(written)
        guard isNumber, let first = written.first, first.isWholeNumber || first == "+" || first == "(", !digits.isEmpty
        else { return nil }
        international = [digits]
        if first != "+" {
            national = [digits]
            // 00 is the international prefix of most countries. The parser knows the others.
            if digits.starts(with: [0, 0]) { international.append(Array(digits.dropFirst(2))) }
            if digits[0] == 0 { national.append(Array(digits.dropFirst())) }
        }
        if let number = reader.e164(typed) { international.append(Array(number.digits)) }
        international.removeAll(where: \.isEmpty)
        national.removeAll(where: \.isEmpty)
        local = first.isWholeNumber && digits[0] != 0 && digits.count >= Self.fewestDigitsWithin ? digits : nil
        parts = (international + national).filter { $0.count >= Self.fewestDigitsWithin }
            .map { $0.map { $0 + UInt8(ascii: "0") } }
    }
    /// The possible numbers of digits in an area code, without the national prefix.
    private static let areaCodes = 1...5
    /// The minimum number of digits that follow an area code.
    private static let fewestLocalDigits = 5

    /// Whether a number of a contact begins like this after its area code.
    ///
    /// The length of the area code is unknown, so each possible length is tried.
    func begins(localNumberOf contact: Contact) -> Bool {
        guard let local else { return false }
        return contact.indexed.contains { card in
            zip(card.card.phones, card.details.numbers).contains { phone, number in
                let digits =
                    number.map { Array($0.digits.dropFirst($0.countryCodeLength)) }
                    ?? Array(Digits.read(phone.number).drop { $0 == 0 })
                return Self.areaCodes.contains { length in
                    digits.count >= length + Self.fewestLocalDigits && digits[length...].starts(with: local)
                }
            }
        }
    }
}
