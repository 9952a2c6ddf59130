import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel

/// What happens to the files while the book is open.
extension BookStory {
    /// Another program changes a card on disk; the book hears of it, and shows the difference.
    func change() async throws {
        try timeline.chapter("Changed on disk, while the book is open")
        let before = try find("Þórunn Jónsdóttir")
        let khard = try status(of: .khard)
        guard let card = before.cards.first(where: { $0.source == khard.id }) else {
            throw broken("Þórunn has a card in khard's folder.")
        }
        let file = files.appending(path: BookSample.khard.fileName).appending(path: card.reference.name)
        let old = try VCard([UInt8](Data(contentsOf: file)))
        var edited = Card(old)
        edited.phones[0].number = Self.newNumber
        var new = old
        new.apply(edited)
        let (lines, same) = Self.lines(old, new)
        let start = ContinuousClock.now
        try Data(new.bytes).write(to: file, options: .atomic)
        try timeline.say(
            .disk,
            "another program writes \(Self.newNumber) into \(before.displayName)’s card: \(same) of "
                + "\(lines) lines stay as they were, to the byte")
        let witness = witness
        try await Limit("The address book has heard of the new number").until {
            witness.contacts.contains { $0.phones.contains { $0.number?.text == Self.newNumber } }
        }
        let after = try find(before.displayName)
        try expect(after.id == before.id && after.cards.count == before.cards.count, "She stays one contact.")
        try timeline.say(
            .phone,
            "hears of one difference after \(start.milliseconds) ms: ~ \(after.displayName)\(after.difference(to: before))"
        )
    }

    private static let newNumber = "+3546110142"

    /// How many lines a card has, and how many of them the other has too.
    private static func lines(_ old: VCard, _ new: VCard) -> (all: Int, same: Int) {
        let oldLines = old.bytes.split(separator: UInt8(ascii: "\n"))
        let newLines = new.bytes.split(separator: UInt8(ascii: "\n"))
        return (newLines.count, zip(oldLines, newLines).count { $0 == $1 })
    }

    /// A source goes away and comes back; its contacts stay.
    func fail() async throws {
        try timeline.chapter("Gone for a while")
        let before = try await book.loaded()
        let gmail = files.appending(path: BookSample.gmail.fileName)
        let away = files.appending(path: "gmail.vcf.away")
        let book = book
        try FileManager.default.moveItem(at: gmail, to: away)
        try timeline.say(.disk, "gmail.vcf is moved away")
        try await Limit("The source of gmail.vcf has failed").until {
            book.sources.first { $0.name == "gmail" }?.error != nil
        }
        guard let error = try status(of: .gmail).error else { throw broken("The source says why.") }
        try timeline.say(.phone, "says of gmail: “\(error.sentence)” (\(error.code))")
        try expect(book.contacts == before, "The contacts of a source that cannot be read stay.")
        try timeline.say(
            .phone, "still shows its \(try status(of: .gmail).cards) cards, and all \(before.count) contacts")
        try FileManager.default.moveItem(at: away, to: gmail)
        try timeline.say(.disk, "gmail.vcf is back")
        try await Limit("The source of gmail.vcf is read again").until {
            if case .loaded = book.sources.first(where: { $0.name == "gmail" })?.state { true } else { false }
        }
        try expect(try await book.loaded() == before, "What came back is what was there.")
        try timeline.say(.phone, "reads it again; nothing is different, and so nobody hears of anything")
    }

    /// Reads everything once more, with a client that has never seen any of it, and ends badly unless that is the same.
    func compare() async throws {
        try timeline.chapter("The end: what is shown, and what a fresh start shows")
        let fresh = try KithClient.inMemory()
        try await fresh.addressBook.setRegion(Region("AT"))
        for sample in BookSample.allCases {
            try await fresh.addressBook.addSource(sample.location(in: files), name: sample.rawValue)
        }
        let again = BookPicture(try await fresh.addressBook.loaded(), fresh.addressBook.sources)
        let shown = BookPicture(try await book.loaded(), book.sources)
        try timeline.say(.fresh, "reads the five sources with nothing remembered")
        let heard = try await witness.finish(like: book)
        try timeline.say(.all, try shown.verdict(besides: again))
        try timeline.say(.all, "what was heard in \(heard.things("difference")) adds up to what is shown")
    }
}
