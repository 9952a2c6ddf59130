import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel
import Testing

#if canImport(PhoneNumbers)
    import PhoneNumbers
#endif

@Suite("Spellings of one number and one email", .timeLimit(.minutes(15))) struct AddressBookSpellingTests {
    #if canImport(PhoneNumbers)
        @Test(
            "A shared number links people with the same name, in any notation",
            arguments: [
                ("+43 664 1234567", "0664/123 45 67"), ("tel:+43-664-1234567", "00436641234567"),
                ("+43 (0) 664 1234567", "0664 1234567 (Mama)"), ("+55 11 6123 4567", "+55 11 96123-4567"),
                ("+54 9 11 2345-6789", "+54 11 15 2345 6789"), ("+1 800 356 9377", "1-800-FLOWERS"),
                ("+43 664 1234567", "+43 664 1234567 ext. 89"), ("+43 664 1234567", "+43 664 １２３４５６７"),
            ])
        func spellings(_ one: String, _ other: String) async throws {
            let world = try BookWorld(
                TestSource([
                    Card("Ada", "Lovelace", uid: "1", phones: [one]),
                    Card("Ada", "Lovelace", uid: "2", phones: [other]),
                ]),
                parser: LibPhoneNumber(), region: Region(one.hasPrefix("+1") ? "US" : "AT"))
            #expect(try await world.book.loaded().count == 1)
        }

        @Test("A number is grouped while it is typed, as the region has it") func typing() throws {
            let book = try BookWorld(parser: LibPhoneNumber(), region: Region("AT")).book
            #expect(book.formatted(asTyped: "0664123") == "0664 123")
            #expect(book.formatted(asTyped: "0664 1234") == "0664 1234")
            #expect(try BookWorld(parser: nil).book.formatted(asTyped: "0664123") == "0664123")
        }
    #endif

    @Test("A shared email links people with the same name, in any notation")
    func emailSpellings() async throws {
        for (one, other) in [
            ("ada@example.com", "ADA@Example.com."), ("ada@bücher.example", "ada@xn--bcher-kva.example"),
            ("ada@example.com", "Ada <ada@example.com>"), ("mailto:%61da@example.com", "ada@example.com"),
        ] {
            let world = try await BookWorld.loaded(
                Card("Ada", "Lovelace", uid: "1", emails: [one]), Card("Ada", "Lovelace", uid: "2", emails: [other]))
            #expect(world.book.contacts?.count == 1, "\(other)")
        }
    }
}
