import BenchReport
import CPhoneNumber
import Foundation
import Kith
import KithAddressBook
import KithModel
import PhoneNumbers

/// Measures how soon an address book that has just been loaded finds people by their numbers: one person, and everybody.
///
/// The reference is libphonenumber, which reads the same texts on one core.
struct NumberLookup {
    private let run: Run
    private let count: Int
    private let file: URL
    private let last: Person
    /// The numbers of all cards as they are written.
    private let texts: [String]

    init(_ run: Run) throws {
        self.run = run
        count = run.size(100_000, smoke: 5_000)
        let cards = CardFile(hasPhotos: false)
        let people = (0..<count).map(cards.person)
        last = people[count - 2]
        texts = people.flatMap { [$0.mobile, $0.landline].compactMap(\.self) }
        // In a folder of its own, because the address book watches the folder.
        let folder = run.folder.appending(path: "cards")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        file = folder.appending(path: "contacts.vcf")
        try Data(cards.cards(count)).write(to: file)
    }

    func measure() async throws {
        let parser = LibPhoneNumber()
        let numbers = Set(texts.compactMap { parser.e164($0, in: Region("AT")) })
        var (one, all, plain) = (Samples(), Samples(), Samples())
        for _ in 0..<run.size(5, smoke: 2) {
            let (found, known) = try await load(numbers)
            one.append(found)
            all.append(known)
            plain.append(readPlainly())
        }
        run.line(
            "\(count) cards are shown: until one is found by a number", .time(one.p50),
            wanted: .atMost(.milliseconds(50)))
        run.line(
            "\(count) cards are shown: until all \(texts.count) numbers are known", .time(all.p50),
            beside: .init("libphonenumber", .time(plain.p50)),
            wanted: .atMost(.seconds(2)))
    }

    /// The time from the moment at which the contacts are shown until the last person is found by a number, and until all
    /// numbers are known.
    private func load(_ numbers: Set<E164>) async throws -> (found: Duration, known: Duration) {
        var configuration = KithConfiguration(storage: .inMemory)
        configuration.region = Region("AT")
        let book = try KithClient(configuration).addressBook
        try await book.addSource(.vCardFile(file))
        _ = try await book.loaded()
        let shown = ContinuousClock.now
        let person = book.contact(withPhone: last.mobile)
        let found = ContinuousClock.now - shown
        let identities = try await book.identities()
        let known = ContinuousClock.now - shown
        precondition(person?.displayName.contains(last.family) == true, "The last person was not found.")
        precondition(numbers.allSatisfy { identities.contains(.phone($0)) }, "Numbers are missing.")
        return (found, known)
    }

    private func readPlainly() -> Duration {
        ContinuousClock().measure {
            for text in texts {
                var number = CPhoneNumber()
                precondition(CPhoneNumberRead(text, text.utf8.count, "AT", &number))
            }
        }
    }
}
