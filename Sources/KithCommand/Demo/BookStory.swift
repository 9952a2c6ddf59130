import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel

/// The second act: the address books of five programs become one, and stay so while their files change.
///
/// Like the first, it says nothing that was not done or read back.
struct BookStory {
    let timeline: Timeline
    /// Where the files of the five programs are.
    let files: URL
    let client: KithClient
    /// Heard from the address book; must end as what it shows.
    let witness: BookWitness

    var book: AddressBook { client.addressBook }

    init(_ timeline: Timeline, _ folder: DemoFolder) async throws {
        self.timeline = timeline
        files = folder.addressBooks
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        for sample in BookSample.allCases { try sample.put(into: files) }
        client = try KithClient(KithConfiguration(server: nil, storage: .directory(folder.phone)))
        // The numbers of the samples that say no country are Austrian, wherever this is told.
        try await client.addressBook.setRegion(Region("AT"))
        witness = BookWitness(client.addressBook)
    }

    func tell() async throws {
        try timeline.print(["", timeline.look("The second act: five programs, one address book", .strong)])
        try await read()
        try await link()
        try await find()
        try await change()
        try await fail()
        try await compare()
    }

    private func read() async throws {
        try timeline.chapter("Five sources, as five programs wrote them")
        for sample in BookSample.allCases {
            let start = ContinuousClock.now
            let id = try await book.addSource(sample.location(in: files), name: sample.rawValue)
            let contacts = try await book.loaded()
            let source = try status(of: id)
            guard case .loaded = source.state else { throw broken("“\(sample.rawValue)” is loaded.") }
            try timeline.say(
                .phone,
                "reads \(sample.fileName): \(source.cards.things("card")) in \(start.milliseconds) ms; "
                    + "the book shows \(contacts.count.things("contact"))")
            for fault in source.faults {
                try timeline.say(.phone, "cannot read line \(fault.line) of \(sample.fileName): \(fault.sentence)")
            }
        }
        try expect(book.sources.reduce(0) { $0 + $1.cards } >= 300, "All cards of the five files are there.")
        try expect(book.sources.contains { !$0.faults.isEmpty }, "What is broken in them is named.")
    }

    private func link() async throws {
        try timeline.chapter("Linked: who is in several of them is shown once")
        let contacts = try await book.loaded()
        let cards = contacts.flatMap(\.cards)
        let linked = contacts.filter { $0.cards.count > 1 }
        try timeline.say(
            .phone,
            "shows \(cards.count) cards as \(contacts.count) contacts; \(linked.count) of them are in several sources")
        let zoe = try find("Zoë Nowak")
        try expect(zoe.cards.count > 1, "Zoë is linked.")
        var table = Table(header: ["Source", "Name", "Number, as it is written there"])
        for card in zoe.cards {
            table.add([
                Table.Cell(name(of: card.source)), Table.Cell(card.card.name.full ?? ""),
                Table.Cell(card.card.phones.map(\.number).joined(separator: "   ")),
            ])
        }
        try timeline.print(timeline.lines(of: table))
        let numbers = zoe.phones.compactMap(\.number?.text)
        try expect(numbers.count == zoe.phones.count, "Each number has its one true form.")
        try timeline.say(.phone, "shows her once, with \(numbers.joined(separator: " and "))")

        let caetano = try find("Caetano Simões")
        try expect(
            caetano.cards.count == 2 && caetano.phones.map(\.number?.text) == ["+5511995550142"],
            "A number from before Brazil's ninth digit is the one of today.")
        try timeline.say(
            .phone,
            "shows Caetano once: \(caetano.cards.map { $0.card.phones[0].number }.joined(separator: " has become "))")
        let annas = contacts.filter { $0.displayName == "Anna Gruber" }
        try expect(annas.count == 2, "Two who are called Anna Gruber stay two.")
        try timeline.say(.phone, "shows “Anna Gruber” twice: the same name alone makes nobody the same person")
        let hubers = contacts.filter { $0.card(with: "+43316555011") }
        try expect(hubers.count == 5, "Five who share a landline stay five.")
        try timeline.say(.phone, "shows the \(hubers.count) of one landline as \(hubers.count): so does a number alone")
    }

    private func find() async throws {
        try timeline.chapter("Found while one types")
        var table = Table(header: ["Typed", "Found", "Why"])
        for (typed, name, why) in Self.searches {
            let found = book.search(typed)
            try expect(found.contains { $0.displayName == name }, "“\(typed)” finds \(name).")
            let others = found.count > 1 ? " and \(found.count - 1) more" : ""
            table.add([Table.Cell(typed), Table.Cell(name + others), Table.Cell(why, .faint)])
        }
        try timeline.print(timeline.lines(of: table))
        let start = ContinuousClock.now
        var count = 0
        for length in 1...Self.typed.count {
            count += book.suggestions(for: String(Self.typed.prefix(length))).count
        }
        let each = (ContinuousClock.now - start) / .milliseconds(1) / Double(Self.typed.count)
        let last = book.suggestions(for: Self.typed)
        try expect(count > 0 && last.contains { $0.displayName == "Łukasz Nowak" }, "The number finds Łukasz.")
        try timeline.say(
            .phone,
            "suggests \(last.map(\.displayName).joined(separator: ", ")) for “\(Self.typed)”, "
                + String(format: "%.1f ms for each digit", each))
    }

    private static let searches = [
        ("lukasz", "Łukasz Nowak", "accents are of no account"),
        ("zoe kite", "Zoë Nowak", "her name, and the company she works for"),
        ("yamada", "山田花子", "as it is said"),
        ("0039 06 555 01 77", "Lucia Moretti", "a number in another manner; Italy keeps its zero"),
        ("bücher", "Hannelore Böhm", "any field"),
    ]
    private static let typed = "0664 5550102"
}

extension BookStory {
    func find(_ name: String) throws -> AddressBook.Contact {
        guard let contact = book.contacts?.first(where: { $0.displayName == name }) else {
            throw broken("\(name) is in the address book.")
        }
        return contact
    }

    func status(of id: AddressBook.SourceID) throws -> AddressBook.SourceStatus {
        guard let source = book.sources.first(where: { $0.id == id }) else { throw broken("The source is there.") }
        return source
    }

    func status(of sample: BookSample) throws -> AddressBook.SourceStatus {
        guard let source = book.sources.first(where: { $0.name == sample.rawValue }) else {
            throw broken("The source “\(sample.rawValue)” is there.")
        }
        return source
    }

    func name(of id: AddressBook.SourceID) -> String { book.sources.first { $0.id == id }?.name ?? id.rawValue }

    /// Stops the story, loudly, unless `holds`.
    func expect(_ holds: Bool, _ sentence: String) throws {
        if !holds { throw broken(sentence) }
    }

    func broken(_ sentence: String) -> Failure {
        Failure(.failed, "demo", "This should have been so and was not: \(sentence)")
    }
}

extension AddressBook.Contact {
    fileprivate func card(with number: String) -> Bool { phones.contains { $0.number?.text == number } }
}

extension ContinuousClock.Instant {
    /// How many milliseconds it is ago.
    var milliseconds: Int { Int((ContinuousClock.now - self) / .milliseconds(1)) }
}
