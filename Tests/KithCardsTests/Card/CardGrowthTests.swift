import Foundation
import KithCards
import Testing

/// Four times as much may take four times as long, and not sixteen times. It is the thread's own time that counts.
@Suite("The time for large cards is linear in their size") struct CardGrowthTests {
    /// A card of `count` things that are alike.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lines: @Sendable (Int) -> [String]

        init(_ name: String, _ lines: @escaping @Sendable (Int) -> [String]) {
            (testDescription, self.lines) = (name, lines)
        }

        func vCard(_ count: Int) throws -> VCard { try VCard.of(["VERSION:4.0", "FN:Ada"] + lines(count)) }
    }

    static let kinds = [
        Kind("NICKNAME") { (0..<$0).map { "NICKNAME:n\($0)" } },
        Kind("one NICKNAME") { ["NICKNAME:" + (0..<$0).map { "n\($0)" }.joined(separator: ",")] },
        Kind("TEL") { (0..<$0).map { "TEL;TYPE=cell:\($0)" } },
        Kind("EMAIL") { (0..<$0).map { "EMAIL;PREF=2:a\($0)@example.com" } },
        Kind("ADR") { (0..<$0).map { "ADR;TYPE=home:;;Street \($0);City;;;" } },
        Kind("LABEL") { count in (0..<count).flatMap { ["ADR:;;\($0);;;;", "LABEL:\($0)"] } },
        Kind("N") { ["N:" + (0..<$0).map { "n\($0)" }.joined(separator: ",") + ";Ada;;;"] },
        Kind("CATEGORIES") { ["CATEGORIES:" + (0..<$0).map { "c\($0)" }.joined(separator: ",")] },
        Kind("ORG and TITLE") { count in
            (0..<count).flatMap { ["item\($0).ORG:o\($0)", "item\($0).TITLE:t\($0)"] }
        },
        Kind("labels of one group") { count in
            (0..<count).flatMap { ["item1.TEL:\($0)", "item1.X-ABLabel:l\($0)"] }
        },
        Kind("labels") { count in (0..<count).flatMap { ["item\($0).TEL:\($0)", "item\($0).X-ABLabel:l\($0)"] } },
        Kind("labels with parameters") { count in
            (0..<count).flatMap { ["item\($0).TEL:\($0)", "item\($0).X-ABLabel;X-FOO=1:l\($0)"] }
        },
        Kind("labels of addresses") { count in
            (0..<count).flatMap { ["item\($0).ADR:;;\($0);;;;", "item\($0).X-ABLabel:l\($0)"] }
        },
        Kind("places of one group") { count in
            (0..<count).map { "item1.TEL:\($0)" } + ["item1.ADR:;;a;;;;"]
                + [String](repeating: "item1.GEO:geo:1,2", count: count)
        },
        Kind("sounds") { count in
            ["N:" + (0..<count).map { "n\($0)" }.joined(separator: ",") + ";Ada;;;"]
                + [String](repeating: "N;PHONETIC=ipa:;;x;;", count: count)
                + [String](repeating: "X-PHONETIC-FIRST-NAME:a", count: count)
        },
        Kind("unknown") { (0..<$0).map { "item1.X-FOO:\($0)" } },
        Kind("AGENT") { [String](repeating: "AGENT:BEGIN:VCARD\\nFN:x\\nEND:VCARD", count: $0) },
    ]

    @Test("Reading a large card", arguments: kinds)
    func reading(kind: Kind) throws {
        let vCards = try (kind.vCard(250), kind.vCard(1000))
        expectLinear({ _ = Card(vCards.0).name.displayText }, { _ = Card(vCards.1).name.displayText })
    }

    @Test("Writing a large card again", arguments: kinds)
    func writing(kind: Kind) throws {
        let encoder = JSONEncoder()
        let json = try [150, 600].map { try encoder.encode(JSContact(kind.vCard($0))) }
        expectLinear({ Self.write(json[0]) }, { Self.write(json[1]) })
    }

    @Test(
        "Reading a stream of damaged cards",
        arguments: [
            "BEGIN:VCARD\n", "BEGIN:VCARD\nFN:x\n", "BEGIN:VCARD\nAGENT:\n", "BEGIN:VCARD\nBEGIN:VCARD\nEND:VCARD\n",
            "BEGIN:VCARD\rFN:x\rBEGIN:VCARD\nFN:x\r", "BEGIN:VCARD\nAGENT:\nBEGIN:VCARD\nEND:VCARD\n", "END:VCARD\n",
            "BEGIN:VCARD\nBEGIN:VCARD\r\nX\rAGENT;X\rY:\n", "BEGIN:VCARD\nEND:VCARDBEGIN:VCARD\n", "BEGIN:VCARD\n:\n\n",
            "BEGIN:VCARD\nFN;CHARSET=X-OWN:\u{E9}\nBDAY:20230230\n",
        ])
    func readingStreams(piece: String) {
        let streams = [2000, 8000].map { Array(String(repeating: piece, count: $0).utf8) }
        expectLinear({ _ = VCardReader.elements(in: streams[0]) }, { _ = VCardReader.elements(in: streams[1]) })
        let cards = streams.map { Array("BEGIN:VCARD\n".utf8) + $0 + Array("END:VCARD\n".utf8) }
        expectLinear({ _ = VCardReader.elements(in: cards[0]) }, { _ = VCardReader.elements(in: cards[1]) })
    }

    private static func write(_ json: Data) {
        guard let contact = try? JSONDecoder().decode(JSContact.self, from: json) else { return }
        _ = VCard(contact)
    }

    @Test("Changing every property of a card, and removing every property", arguments: kinds)
    func changing(kind: Kind) throws {
        let vCards = try (kind.vCard(100), kind.vCard(400))
        func change(_ original: VCard) {
            var vCard = original
            var card = Card(vCard)
            for index in card.phones.indices { card.phones[index].number += "0" }
            for index in card.emails.indices { card.emails[index].pref = 3 }
            for index in card.nicknames.indices { card.nicknames[index].name += "x" }
            for index in card.addresses.indices { card.addresses[index].full = "x" }
            card.keywords.append("new")
            vCard.apply(card)
            vCard.apply(Card())
        }
        expectLinear({ change(vCards.0) }, { change(vCards.1) })
    }

    static let editedKinds = [
        Kind("TEL") { (0..<$0).map { "TEL;TYPE=cell:\($0)" } },
        Kind("groups") { (0..<$0).map { "item\($0).TEL:\($0)" } },
        Kind("names") { (0..<$0).map { "X-FOO-\($0):a" } },
    ]

    @Test("Merging an edit of every property of a card", arguments: editedKinds)
    func merging(kind: Kind) throws {
        func versions(_ count: Int) throws -> (base: VCard, mine: VCard, theirs: VCard) {
            let (head, lines) = (["VERSION:4.0", "FN:Ada"], kind.lines(count))
            return try (
                VCard.of(head + lines), VCard.of(head + lines.map { $0 + "x" }), VCard.of(head + lines + ["NOTE:n"])
            )
        }
        let (small, large) = try (versions(1000), versions(4000))
        expectLinear(
            { _ = small.theirs.merging(small.mine, editedFrom: small.base) },
            { _ = large.theirs.merging(large.mine, editedFrom: large.base) })
    }

    /// Expects that `large`, of four times the size, takes less than nine times as long as `small`.
    private func expectLinear(_ small: () -> Void, _ large: () -> Void) {
        let (small, large) = (Self.time(small), Self.time(large))
        #expect(large < 9 * small + 2_000_000, "\(small / 1000) µs became \(large / 1000) µs.")
    }

    /// Nanoseconds of this thread; the less of two tries.
    private static func time(_ body: () -> Void) -> UInt64 {
        (0..<2).map { _ in
            let start = threadTime()
            body()
            return threadTime() - start
        }.min() ?? 0
    }

    /// The nanoseconds that this thread has run. It does not run while others do.
    static func threadTime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
