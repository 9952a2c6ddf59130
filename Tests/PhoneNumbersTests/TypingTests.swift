import KithModel
import PhoneNumbers
import Testing

@Suite("Grouping what is typed") struct TypingTests {
    private let parser = LibPhoneNumber()

    private func typed(_ text: String, _ region: String?) -> String {
        parser.formatted(asTyped: text, in: region.flatMap(Region.init))
    }

    @Test("Digit by digit, from the field's own content")
    func digitByDigit() {
        var field = ""
        var shown: [String] = []
        for digit in "06641234567" {
            field = typed(field + String(digit), "AT")
            shown.append(field)
        }
        #expect(
            shown == [
                "0", "06", "066", "0664", "0664 1", "0664 12", "0664 123", "0664 1234", "0664 12345", "0664 123456",
                "0664 1234567",
            ])
    }

    @Test("A plus names its country, whatever the region")
    func international() {
        #expect(typed("+436641234", nil) == "+43 664 1234")
        #expect(typed("+1201555", "AT") == "+1 201-555")
    }

    @Test("Removing a digit regroups the rest")
    func backspace() {
        #expect(typed("(201) 555-012", "US") == "(201) 555-012")
        #expect(typed("201-555", "US") == "201-555")
    }

    @Test("Other digits become ASCII's")
    func otherDigits() {
        #expect(typed("٠٦٦٤١٢٣", "AT") == "0664 123")
        #expect(typed("＋４３６６４１", nil) == "+43 664 1")
    }

    @Test("Anything else is left alone", arguments: ["", "abc", "*100#", "0664x", "06+", "1-800-FLOW", " "])
    func leftAlone(text: String) {
        #expect(typed(text, "AT") == text)
    }

    @Test("Too many digits for any number are returned unchanged or ungrouped")
    func tooMany() {
        let digits = String(repeating: "1", count: 60)
        #expect(typed(digits, "AT") == digits)
        let text = String(repeating: "1", count: 100_000)
        #expect(typed(text, "AT") == text)
    }
}
