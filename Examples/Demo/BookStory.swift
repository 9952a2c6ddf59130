import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel

/// The second act: the contacts of five programs form one address book, which follows the changes of their files.
struct BookStory: Sendable {
    let say: Narrator
    let book: AddressBook
    /// The folder with the files of the five programs.
    let files: URL

    func tell() async throws {
        try await read()
        try await link()
        try find()
        try await change()
        try await disappear()
    }

    private func read() async throws {
        try say.chapter("Five sources, as five programs wrote them")
        // Sample numbers without a country code are Austrian.
        try await book.setRegion(Region("AT"))
        for location in try Samples.books(in: files) {
            let start = ContinuousClock.now
            let id = try await book.addSource(location)
            let contacts = try await book.loaded()
            guard let source = book.sources.first(where: { $0.id == id }), source.error == nil else {
                throw StoryError("The source is loaded.")
            }
            let time = start.milliseconds
            try say("phone", "reads \(source.name), \(source.cards) cards: \(contacts.count) contacts, \(time) ms")
            for fault in source.faults {
                try say("phone", "cannot read all of \(source.name), line \(fault.line): \(fault.sentence)")
            }
        }
    }

    private func link() async throws {
        try say.chapter("Linked: who is in several of them is shown once")
        let contacts = try await book.loaded()
        let (cards, linked) = (contacts.flatMap(\.cards).count, contacts.count { $0.cards.count > 1 })
        try say("phone", "shows \(cards) cards as \(contacts.count) contacts; \(linked) are in several sources")
        let zoe = try contact("Zoë Nowak")
        try say.table(
            ["source", "name", "numbers, as they are written there"],
            zoe.cards.map { card in
                let source = book.sources.first { $0.id == card.source }?.name ?? ""
                return [source, card.card.name.full ?? "", card.card.phones.map(\.number).joined(separator: ", ")]
            })
        let numbers = zoe.phones.compactMap(\.number?.text)
        try say("phone", "shows \(zoe.displayName) once, with \(numbers.joined(separator: " and "))")
        let annas = contacts.filter { $0.displayName == "Anna Gruber" }
        try check(annas.count == 2, "Two who are called Anna Gruber stay two.")
        try say("phone", "shows “Anna Gruber” twice: the same name alone makes nobody the same person")
    }

    private func find() throws {
        try say.chapter("Found while one types")
        let searches = [
            ("lukasz", "without accents"), ("zoe kite", "a name and a company"), ("yamada", "as it is said"),
            ("0039 06 555 01 77", "a number, in another manner"), ("bücher", "any field"),
        ]
        try say.table(
            ["typed", "why", "found"],
            searches.map { typed, why in
                let found = book.search(typed)
                try check(!found.isEmpty, "“\(typed)” finds somebody.")
                return [typed, why, found.prefix(3).map(\.displayName).joined(separator: ", ")]
            })
        let suggested = book.suggestions(for: "0664 5550102").map(\.displayName)
        try check(suggested.contains("Łukasz Nowak"), "The number finds Łukasz.")
        try say("phone", "suggests \(suggested.joined(separator: ", ")) for “0664 5550102”")
    }

    /// Another program changes one property of one card. The address book announces one changed contact.
    private func change() async throws {
        try say.chapter("Changed on disk, while the book is open")
        let number = "+3546110142"
        let before = try contact("Þórunn Jónsdóttir")
        guard let card = before.cards.first(where: { $0.reference.name.hasSuffix(".vcf") }) else {
            throw StoryError("Þórunn has a card in the folder of khard.")
        }
        let file = files.appending(path: "khard").appending(path: card.reference.name)
        var vCard = try VCard([UInt8](Data(contentsOf: file)))
        var edited = Card(vCard)
        edited.phones[0].number = number
        vCard.apply(edited)
        let changes = book.changes()
        let start = ContinuousClock.now
        try Data(vCard.bytes).write(to: file, options: .atomic)
        try say("disk", "another program writes \(number) into the card of \(before.displayName)")
        try await wait(for: "The address book hears of the new number.", in: changes) { changed in
            changed.modified.contains { $0.id == before.id && $0.phones.contains { $0.number?.text == number } }
        }
        let time = start.milliseconds
        let numbers = try contact(before.displayName).phones.map(\.original).joined(separator: " and ")
        try say("phone", "hears of it after \(time) ms: \(before.displayName) has \(numbers)")
    }

    /// A source is temporarily missing. Its contacts stay.
    private func disappear() async throws {
        try say.chapter("Gone for a while")
        let before = try await book.loaded()
        let (gmail, away) = (files.appending(path: "gmail.vcf"), files.appending(path: "gmail.vcf.away"))
        try FileManager.default.moveItem(at: gmail, to: away)
        try say("disk", "gmail.vcf is moved away")
        try await wait(for: "The source gmail has an error.", in: book.liveSources()) { sources in
            sources.contains { $0.name == "gmail" && $0.error != nil }
        }
        let error = book.sources.compactMap(\.error).first
        try say("phone", "says “\(error?.sentence ?? "")” (\(error?.code.rawValue ?? ""))")
        try check(book.contacts == before, "The contacts of a source that is missing stay.")
        try say("phone", "still shows all \(before.count) contacts")

        try FileManager.default.moveItem(at: away, to: gmail)
        try await wait(for: "The source gmail is read again.", in: book.liveSources()) { sources in
            sources.allSatisfy { if case .loaded = $0.state { true } else { false } }
        }
        try check(try await book.loaded() == before, "What is back is what was there.")
        try say("phone", "reads gmail.vcf again, which is back: the same \(before.count) contacts")
    }

    private func contact(_ name: String) throws -> Contact {
        guard let contact = book.contacts?.first(where: { $0.displayName == name }) else {
            throw StoryError("\(name) is in the address book.")
        }
        return contact
    }
}
