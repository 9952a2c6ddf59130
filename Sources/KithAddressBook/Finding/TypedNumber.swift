import KithCards
import KithModel

/// A number as far as it is typed, in each manner in which it may be meant, in digits from 0 to 9.
struct TypedNumber {
    /// With the country's code.
    private(set) var international: [[UInt8]]
    /// Without the code and what is dialled in its place; or as much as there is of the number.
    private(set) var national: [[UInt8]] = []
    /// What to look for within written numbers.
    let parts: [[UInt8]]
    /// What may be the beginning of a number that is written without its area's code; nil if nothing can be.
    let local: [UInt8]?

    /// Fewer digits are within too many numbers to be looked for there.
    private static let fewestDigitsWithin = 3

    /// The number that was typed; nil if it is none.
    init?(_ typed: String, _ reader: PhoneReader) {
        let written = typed.filter { !$0.isWhitespace }
        let isNumber = written.dropFirst().allSatisfy { $0.isWholeNumber || "-./()".contains($0) }
        let digits = Digits.read(written)
        guard isNumber, let first = written.first, first.isWholeNumber || first == "+" || first == "(", !digits.isEmpty
        else { return nil }
        international = [digits]
        if first != "+" {
            national = [digits]
            // As most of the world dials; the parser knows how the others do.
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
    /// How many digits an area's code has, without what is dialled before it.
    private static let areaCodes = 1...5
    /// What is left of a number behind its area's code has so many digits at least.
    private static let fewestLocalDigits = 5

    /// Whether a number of a contact begins so behind its area's code.
    ///
    /// Nobody says where the code ends: each place where it can is tried.
    func begins(localNumberOf contact: AddressBook.Contact) -> Bool {
        guard let local else { return false }
        return contact.filed.contains { card in
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
