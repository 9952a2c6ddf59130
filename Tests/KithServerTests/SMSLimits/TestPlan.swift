import KithModel

/// Numbering plans in a few lines: Austria (43), Germany (49), and the United States and Canada (1).
///
/// In Austria 6 begins mobile numbers, 900 premium ones and 800 toll-free ones; everything else is a fixed line. A 0 after
/// its code is not part of a number. In Germany 1 begins mobile numbers. In North America the plan does not tell them apart;
/// Canada's numbers begin with 2.
struct TestPlan: NumberingPlan {
    static let austria = Region("AT")!  // Two letters.
    static let germany = Region("DE")!  // Two letters.
    static let america = Region("US")!  // Two letters.
    static let canada = Region("CA")!  // Two letters.

    func callingCode(of region: Region) -> Int? { ["AT": 43, "DE": 49, "US": 1, "CA": 1][region.code] }

    func mobileExample(in region: Region) -> PhoneNumber? {
        let national = ["AT": "0664 123456", "DE": "01512 3456789", "US": "(301) 555-0123", "CA": "(204) 234-5678"]
        return national[region.code].map { parse($0, in: region) }
    }

    func region(of number: E164) -> Region? {
        if number.text.hasPrefix("+43") { return Self.austria }
        if number.text.hasPrefix("+49") { return Self.germany }
        if number.text.hasPrefix("+12") { return Self.canada }
        return number.text.hasPrefix("+1") ? Self.america : nil
    }

    func e164(_ text: String, in region: Region?) -> E164? {
        let digits = text.filter { $0.isASCII && $0.isNumber }
        guard digits.count >= 7 else { return nil }
        if text.hasPrefix("+430") { return E164("+43\(digits.dropFirst(3))") }
        if text.hasPrefix("+") { return E164("+\(digits)") }
        guard let code = region.flatMap(callingCode) else { return nil }
        return E164("+\(code)\(digits.hasPrefix("0") ? String(digits.dropFirst()) : digits)")
    }

    func parse(_ text: String, in region: Region?) -> PhoneNumber {
        let number = e164(text, in: region)
        return PhoneNumber(
            original: text, e164: number, national: text, international: number?.text ?? text,
            kind: number.map(kind) ?? .short, isValid: number != nil)
    }

    func formatted(asTyped text: String, in region: Region?) -> String { text }

    private func kind(_ number: E164) -> PhoneNumber.Kind {
        let text = number.text
        if text.hasPrefix("+1") { return .fixedLineOrMobile }
        if text.hasPrefix("+43900") { return .premiumRate }
        if text.hasPrefix("+43800") { return .tollFree }
        return text.hasPrefix("+436") || text.hasPrefix("+491") ? .mobile : .fixedLine
    }
}
