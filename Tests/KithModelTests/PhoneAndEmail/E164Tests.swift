import Foundation
import KithModel
import Testing

@Suite("A number in E.164, and a region") struct E164Tests {
    @Test("A number is a plus and digits", arguments: ["+436641234567", "+2908999", "+12345678901234567890"])
    func form(text: String) throws {
        let number = try #require(E164(text))
        #expect(number.text == text && number.description == text)
        #expect(try JSONDecoder().decode([E164].self, from: JSONEncoder().encode([number])) == [number])
    }

    @Test(
        "Any other text is not a number",
        arguments: [
            "", "+", "+123", "436641234567", "+0664123456", "+43 664", "+43664x", "++43664", "+123456789012345678901",
            "+٤٣٦٦٤", "0664",
        ])
    func nothingElse(text: String) {
        #expect(E164(text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([E164].self, from: JSONEncoder().encode([text]))
        }
    }

    @Test("Numbers of one country are adjacent in order")
    func order() {
        let numbers = ["+4930123456", "+12015550123", "+43664123456", "+4311"].compactMap(E164.init)
        #expect(numbers.sorted().map(\.text) == ["+12015550123", "+4311", "+43664123456", "+4930123456"])
    }

    @Test("A region is two letters in upper or lower case, even if no such region exists")
    func regions() {
        #expect(Region("at")?.code == "AT")
        #expect(Region("ZZ")?.description == "ZZ")
        for code in ["", "A", "AUT", "4A", "Ä", "001", "A "] { #expect(Region(code) == nil) }
    }

    @Test("A region is taken from a locale that has one")
    func locales() {
        #expect(Region(Locale(identifier: "de_AT")) == Region("AT"))
        #expect(Region(Locale(identifier: "zh_Hant_TW")) == Region("TW"))
        #expect(Region(Locale(identifier: "C")) == nil)
        #expect(Region(Locale(identifier: "es_419")) == nil)
    }
}
