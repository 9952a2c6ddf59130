import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel
import PhoneNumbers
import Testing

@Suite("Numbers and emails that can be looked up") struct ContactAccountTests {
    private func identities(_ cards: [Card], region: String = "AT") async throws -> [String] {
        let world = try BookWorld(TestSource(cards), parser: LibPhoneNumber(), region: Region(region))
        return try await world.book.identities().map(\.text).sorted()
    }

    @Test("Trap: A number given twice is both found and not found – it is one, however it is written") func twice()
        async throws
    {
        let cards = [
            Card("Ada", phones: ["0664 1234567", "+43 664 1234567"]),
            Card("Ada's admin", phones: ["0043-664-1234567"]),
        ]
        #expect(try await identities(cards) == ["tel:+436641234567"])
    }

    @Test(
        "Trap: “00” and “011”, Italy's zeros, Brazil's ninth digit, Argentina's 9, extensions, letters",
        arguments: [
            ("00 43 664 1234567", "DE", "+436641234567"),
            ("011 43 664 1234567", "US", "+436641234567"),
            ("06 698 12345", "IT", "+390669812345"),
            ("+39 06 698 12345", "AT", "+390669812345"),
            ("(11) 6123-4567", "BR", "+5511961234567"),
            ("(11) 96123-4567", "BR", "+5511961234567"),
            ("011 15 2345-6789", "AR", "+5491123456789"),
            ("+54 9 11 2345-6789", "AT", "+5491123456789"),
            ("+1 650 253 0000 ext. 12", "AT", "+16502530000"),
            ("1-800-FLOWERS", "US", "+18003569377"),
        ])
    func written(number: String, region: String, identity: String) async throws {
        #expect(try await identities([Card("Ada", phones: [number])], region: region) == ["tel:\(identity)"])
    }

    @Test(
        "Trap: Short codes, and what is no number or no email, are not looked for",
        arguments: ["112", "*100#", "1414", "Mama", ""])
    func nothing(number: String) async throws {
        #expect(try await identities([Card("Ada", phones: [number])]).isEmpty)
    }
}
