import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel
import Synchronization
import Testing

#if canImport(PhoneNumbers)
    import PhoneNumbers
#endif

/// Look-ups in a book that is shown and whose numbers are not parsed yet, compared with later ones.
@Suite("Look-ups right after a load", .timeLimit(.minutes(15))) struct AddressBookFirstLookUpTests {
    /// What look-ups find at the moment when the contacts are shown, and what they find when everything is indexed.
    private func found(
        in world: BookWorld, _ find: @escaping @Sendable (AddressBook) -> [String?]
    ) async throws -> (early: [String?], late: [String?]) {
        let answers = EarlyAnswers()
        let recorder = Recorder()
        let book = world.book
        await MainActor.run { recorder.whenHeard = { _ in answers.found.withLock { $0 = find(book) } } }
        book.subscribe(recorder)
        _ = try await book.loaded()
        let early = answers.found.withLock(\.self)
        // Waits until the tables are built.
        #expect(book.search("nobody is called so").isEmpty)
        return (early, find(book))
    }

    @Test("The first look-up by a number parses only the numbers that end with the same digits") func parsesFew()
        async throws
    {
        let numbers = CountingNumbers()
        let cards = (0..<500).map { Card("Person \($0)", phones: ["0664 123\(1000 + $0)", "01 / 99\(20_000 + $0)"]) }
        let world = try BookWorld(TestSource(cards), parser: numbers)
        let (early, late) = try await found(in: world) { book in
            let before = numbers.parsed.withLock(\.count)
            let name = book.contact(withPhone: "+43 664 1231042")?.displayName
            let parsed = numbers.parsed.withLock { $0.dropFirst(before).sorted() }
            return [name] + parsed
        }
        #expect(early == ["Person 42", "+43 664 1231042", "01 / 9920042", "0664 1231042"])
        #expect(late == ["Person 42", "+43 664 1231042"])
    }

    @Test("The first look-up by an email parses only the cards with the same letters before the @") func email()
        async throws
    {
        let numbers = CountingNumbers()
        let cards = [
            Card("Ada", phones: ["0664 1234567"], emails: ["Ada@example.com"]),
            Card("Bob", phones: ["0664 1234568"], emails: ["ada@example.org"]),
            Card("Cleo", phones: ["ask Ada"], emails: ["Cleo <cleo@bücher.example>"]),
            Card("Dora", phones: ["0664 1234569"], emails: ["dora@example.com"]),
        ]
        let world = try BookWorld(TestSource(cards), parser: numbers)
        let (early, late) = try await found(in: world) { book in
            let before = numbers.parsed.withLock(\.count)
            let names = ["ADA@example.com.", "ada@example.org", "cleo@xn--bcher-kva.example", "bob@example.com"].map {
                book.contact(withEmail: $0)?.displayName
            }
            return names + [String(numbers.parsed.withLock { $0.count - before })]
        }
        // All but Dora’s: a card is parsed with its numbers.
        #expect(early == ["Ada", "Bob", "Cleo", nil, "3"])
        #expect(late == ["Ada", "Bob", "Cleo", nil, "0"])
    }

    #if canImport(PhoneNumbers)
        @Test(
            "They find the same contacts as when all numbers are parsed, in every spelling of numbers of every country",
            arguments: ["AT", "US", "IT", "BR", "AR", "RU"])
        func everyCountry(region: String) async throws {
            let spellings = Spellings(seed: 17)
            let texts = spellings.ofEveryCountry()
            try await compare(texts, asked: texts, in: region)
        }

        @Test(
            "They find the same contacts as when all numbers are parsed, for random numbers",
            arguments: 0..<8 as Range<UInt64>)
        func random(seed: UInt64) async throws {
            var spellings = Spellings(seed: seed)
            let numbers = (0..<60).map { _ in spellings.number() }
            let written = numbers.map { spellings.spelling(of: $0) }
            let asked = numbers.map { spellings.spelling(of: $0) } + written
            try await compare(written, asked: asked, in: ["AT", "US", "IT", "DE"][Int(seed % 4)])
        }

        private func compare(_ written: [String], asked: [String], in region: String) async throws {
            let cards = written.enumerated().map { Card("Person \($0)", phones: [$1]) }
            let world = try BookWorld(TestSource(cards), parser: LibPhoneNumber(), region: Region(region))
            let (early, late) = try await found(in: world) { book in
                asked.map { book.contact(withPhone: $0)?.displayName }
            }
            for (text, (one, other)) in zip(asked, zip(early, late)) where one != other {
                Issue.record("\(text): \(one ?? "nobody") at first, \(other ?? "nobody") later")
            }
            #expect(late.contains { $0 != nil })
        }
    #endif
}

/// The answers of look-ups at the moment when contacts are shown.
private final class EarlyAnswers: Sendable {
    let found = Mutex<[String?]>([])
}

/// Numbers of a small country, with the texts that were parsed.
private final class CountingNumbers: PhoneNumberParser {
    let parsed = Mutex<[String]>([])

    func e164(_ text: String, in region: Region?) -> E164? {
        parsed.withLock { $0.append(text) }
        return TestNumbers().e164(text, in: region)
    }

    func parse(_ text: String, in region: Region?) -> PhoneNumber { TestNumbers().parse(text, in: region) }

    func formatted(asTyped text: String, in region: Region?) -> String { text }
}

#if canImport(PhoneNumbers)
    /// Spellings of numbers, as they occur in address books.
    private struct Spellings {
        private var random: SplitMix64
        private let plan = LibPhoneNumber()
        private let regions = Locale.Region.isoRegions.map(\.identifier).sorted().compactMap { Region($0) }

        init(seed: UInt64) { random = SplitMix64(seed: seed) }

        /// A mobile number of every country, in national and international notation.
        func ofEveryCountry() -> [String] {
            regions.compactMap { plan.mobileExample(in: $0) }.flatMap { [$0.national, $0.international] }
        }

        /// The digits of a number with its country code, of a short code, or of anything.
        mutating func number() -> PhoneNumber {
            let region = regions[Int.random(in: regions.indices, using: &random)]
            guard !isOneIn(4), let number = plan.mobileExample(in: region) else {
                let digits = (0..<Int.random(in: 2...9, using: &random)).map { _ in digit() }
                return plan.parse(digits.joined(), in: Region("AT"))
            }
            // Its last digits are replaced, so that many numbers do not exist in the plan.
            let other = String(number.international.dropLast(3)) + digit() + digit() + digit()
            return plan.parse(other, in: nil)
        }

        /// A text that somebody may have written for a number.
        mutating func spelling(of number: PhoneNumber) -> String {
            var text = isOneIn(2) ? number.national : number.international
            if isOneIn(6), let e164 = number.e164 { text = "00" + e164.text.dropFirst() }
            if isOneIn(6), let e164 = number.e164 { text = "tel:" + e164.text }
            switch Int.random(in: 0..<14, using: &random) {
            case 0: text += " ext. 89"
            case 1: text += ";ext=7"
            case 2: text += " (Mama)"
            case 3: text = "mobil: " + text
            case 4: text = text.replacing(" ", with: "\u{A0}").replacing("-", with: "\u{2011}")
            case 5: text = text.replacing(" ", with: ".")
            case 6: text = inOtherDigits(text, zero: 0x0660)
            case 7: text = inOtherDigits(text, zero: 0xFF10)
            case 8: text = text.replacing(" ", with: "%20")
            case 9: text = text.filter { $0 != " " && $0 != "-" }
            case 10: text = inLetters(text)
            case 11: text = "\u{202A}" + text + "\u{202C}"
            default: break
            }
            return text
        }

        private func inOtherDigits(_ text: String, zero: UInt32) -> String {
            String(
                String.UnicodeScalarView(
                    text.unicodeScalars.map { digit in
                        "0"..."9" ~= digit ? Unicode.Scalar(zero + digit.value - 0x30) ?? digit : digit
                    }))
        }

        /// The text with letters for its last digits, as in 1-800-FLOWERS.
        private mutating func inLetters(_ text: String) -> String {
            let letters = ["2": "B", "3": "f", "4": "G", "5": "l", "6": "O", "7": "s", "8": "T", "9": "w"]
            return String(text.dropLast(5)) + text.suffix(5).map { letters[String($0)] ?? String($0) }.joined()
        }

        private mutating func digit() -> String { String(Int.random(in: 0...9, using: &random)) }

        private mutating func isOneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
    }
#endif
