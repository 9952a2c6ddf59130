import Foundation
import Kith
import KithAddressBook
import KithCards
import Synchronization
import Testing

@Suite("A file of vCards", .timeLimit(.minutes(15))) struct VCardFileTests {
    private let folder = TemporaryFolder()
    private var url: URL { folder.url.appending(path: "contacts.vcf") }

    private func write(_ cards: [UInt8]...) throws { try Data(cards.flatMap { $0 }).write(to: url) }

    /// A source to which every file looks old.
    private func source() -> VCardFileSource { VCardFileSource(url, now: { .distantFuture }) }

    @Test("Cards with a repeated uid have different references, the same in every load") func repeatedUIDs()
        async throws
    {
        try write(
            card("A", uid: "u"), card("B", uid: "u"), card("C", uid: nil), card("D", uid: nil), card("C", uid: nil))
        let contents = try await source().contents()
        #expect(contents.names == ["A", "B", "C", "C", "D"])
        #expect(Set(contents.entries.map(\.reference)).count == 5)
        let again = source()
        #expect(try await again.contents() == contents)
        for entry in contents.entries {
            #expect(Card(try await again.vCard(entry.reference)) == entry.card)
        }
    }

    @Test("A card without a uid keeps its reference when it is edited, unless it could be mistaken for a namesake")
    func editedWithoutUID() async throws {
        let source = source()
        try write(card("Ada", uid: nil, "TEL:1"), card("Bob", uid: nil, "TEL:1"), card("Bob", uid: nil, "TEL:2"))
        let before = try await source.contents()
        try write(card("New", uid: nil), card("Ada", uid: nil, "TEL:3"), card("Bob", uid: nil, "TEL:9"))
        let after = try await source.contents()
        #expect(after.entries.map(\.card.name.full) == ["New", "Ada", "Bob"])
        #expect(after.entries[1].reference == before.entries[0].reference)
        #expect(!before.entries.map(\.reference).contains(after.entries[2].reference))
    }

    @Test("The user's links stay when a card without a uid is edited") func linkedWithoutUID()
        async throws
    {
        try write(card("Ada", uid: nil, "TEL:1"), card("Countess", uid: nil, "TEL:2"))
        let book = try KithClient.inMemory().addressBook
        let id = try await book.addSource(.vCardFile(url))
        try await book.link(book.loaded().map(\.id))
        try write(card("Ada", uid: nil, "TEL:3"), card("Countess", uid: nil, "TEL:4"))
        book.reload()
        #expect(try await book.loaded().map(\.cards.count) == [2])
        try await book.removeSource(id)
    }

    @Test("The user's links never pass to a new card with the same name, and end with the first card")
    func linkedNamesake() async throws {
        let (max, maxl) = (card("Max Muster", uid: nil, "TEL:1"), card("Maxl", uid: nil, "TEL:2"))
        try write(max, maxl)
        let book = try KithClient.inMemory().addressBook
        try await book.addSource(.vCardFile(url))
        try await book.link(book.loaded().map(\.id))
        #expect(book.contacts?.map(\.cards.count) == [2])
        try write(max, maxl, card("Max Muster", uid: nil, "TEL:3"))
        book.reload()
        #expect(try await book.loaded().count == 3)
        try write(maxl, card("Max Muster", uid: nil, "TEL:3"))
        book.reload()
        #expect(try await book.loaded().map(\.cards.count) == [1, 1])
    }

    @Test("A file that is not vCard is an error; an empty file can take new cards") func noCards()
        async throws
    {
        try Data("name;number\nAda;1\n".utf8).write(to: url)
        #expect(try await source().contents().faults.map(\.line) == [1])
        try Data().write(to: url)
        #expect(try await source().contents().faults.isEmpty)
    }

    @Test("A large file is read in order, and progress counts its bytes") func large() async throws {
        let count = 40_000
        let bytes = (0..<count).flatMap { card("Person \($0)", uid: "u\($0)", "EMAIL:p\($0)@example.com") }
        try Data(bytes).write(to: url)
        let heard = Kept<[Int]>([])
        let contents = try await source().load(
            LoadProgress { done, of in
                #expect(of == bytes.count)
                heard.change { $0.append(done) }
            })
        #expect(contents.entries.map(\.card.uid) == (0..<count).map { "u\($0)" })
        #expect(heard.value == heard.value.sorted())
        #expect(heard.value.last == bytes.count)
    }

    @Test("Cancelling ends a load in the middle") func cancelled() async throws {
        try Data((0..<40_000).flatMap { card("Person \($0)", uid: "u\($0)") }).write(to: url)
        let source = source()
        let loading = Kept<Task<SourceContents, any Error>?>(nil)
        let reported = AsyncStream.makeStream(of: Void.self)
        loading.change {
            $0 = Task {
                try await source.load(
                    LoadProgress { _, _ in
                        reported.continuation.yield()
                        // Goes on only once it has been cancelled.
                        while !Task.isCancelled { sched_yield() }
                    })
            }
        }
        for await _ in reported.stream { break }
        loading.value?.cancel()
        await #expect(throws: CancellationError.self) { try await loading.value?.value }
    }

    @Test("An unchanged file is not read again") func remembers() async throws {
        try write(card("Ada", uid: "a"))
        let source = source()
        let contents = try await source.contents()
        let heard = Switch()
        #expect(try await source.load(LoadProgress { _, _ in heard.isOn = true }) == contents)
        #expect(!heard.isOn)
    }

    @Test("A change in the moment of a load is not missed, though the file looks the same") func sameMoment()
        async throws
    {
        let source = VCardFileSource(url)
        for number in 10..<60 {
            try write(card("Ada \(number)", uid: "a"))
            #expect(try await source.contents().names == ["Ada \(number)"])
        }
    }

    @Test("Trap: one card has changed – the others are not parsed again, wherever they are now")
    func understandsChanges()
        async throws
    {
        let others = (0..<50).flatMap { card("Person \($0)", uid: "u\($0)", "TEL:1") }
        try write(card("Ada", uid: "a", "TEL:1"), others)
        let source = source()
        let before = try await source.contents()
        try write(card("Grace", uid: "g", "TEL:3"), card("Ada", uid: "a", "TEL:1", "TEL:2"), others)
        let after = try await source.contents()
        #expect(try await self.source().contents() == after)
        #expect(after.entries[1].card.phones.map(\.number) == ["1", "2"])
        #expect(after.entries[2...].map(\.reference) == before.entries[1...].map(\.reference))
        // What was taken over is in the same memory as before.
        let place = { (entry: SourceContents.Entry) in entry.card.phones.withUnsafeBufferPointer { $0.baseAddress } }
        #expect(after.entries[2...].map(place) == before.entries[1...].map(place))
    }

    @Test("A card is found after it has moved in the file") func moved() async throws {
        try write(card("Ada", uid: "a"), card("Grace", uid: "g"))
        let source = source()
        let grace = try await source.contents().reference("Grace")
        try write(card("Edsger", uid: "e"), card("Grace", uid: "g", "TEL:1"), card("Ada", uid: "a"))
        #expect(try await source.vCard(grace).bytes == card("Grace", uid: "g", "TEL:1"))
    }

    @Test("A file in UTF-16 can be read, but no cards can be added") func utf16() async throws {
        let text = String(decoding: card("Ada", uid: "a"), as: UTF8.self)
        try #require(text.data(using: .utf16)).write(to: url)
        let source = source()
        #expect(try await source.contents().names == ["Ada"])
        let ada = try await source.vCard(source.contents().reference("Ada"))
        #expect(Card(ada).name.full == "Ada")
        #expect(await code { _ = try await source.add([VCard(card("Grace", uid: "g"))]) } == .invalid)
    }

    @Test("A pipe is refused without waiting") func pipe() async throws {
        #expect(mkfifo(url.path, 0o600) == 0)
        #expect(await code { _ = try await source().contents() } == .unreadable)
    }

    @Test("A folder is refused as a file") func folderInstead() async throws {
        let source = VCardFileSource(folder.url)
        #expect(await code { _ = try await source.contents() } == .unreadable)
    }

    // MARK: Adding

    @Test("Adding keeps mode, links and every other byte") func addKeeps() async throws {
        let real = folder.url.appending(path: "elsewhere/real.vcf")
        try FileManager.default.createDirectory(at: real.deletingLastPathComponent(), withIntermediateDirectories: true)
        // With odd line ends, something between the cards, a broken one, and no line end behind the last.
        let before =
            Array("\n\nBEGIN:VCARD\nFN:A\rNOTE:x\r\r\nEND:VCARD\n-- \nBEGIN:VCARD\nFN:B\n".utf8)
            + card("C", uid: "c", lineEnd: "\n").dropLast()
        try Data(before).write(to: real)
        #expect(chmod(real.path, 0o640) == 0)
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: real)

        let grace = card("Grace", uid: "g")
        #expect(try await source().add([VCard(grace), VCard(card("C", uid: "c"))]).references.count == 1)
        #expect(try Data(contentsOf: real) == Data(before + Array("\r\n".utf8) + grace))
        var status = stat()
        #expect(lstat(real.path, &status) == 0 && status.st_mode & 0o7777 == 0o640)
        #expect(lstat(url.path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: real.deletingLastPathComponent().path) == ["real.vcf"])
    }

    @Test("Two programs that add cards at once lose nothing") func addsAtOnce() async throws {
        try write(card("Ada", uid: "a"))
        let sources = [source(), source(), source()]
        try await withThrowingTaskGroup { group in
            for number in 0..<30 {
                group.addTask {
                    try await sources[number % 3].add([VCard(card("P", uid: "\(number % 20)"))]).references.count
                }
            }
            let added = try await group.reduce(0, +)
            #expect(added == 20)
        }
        #expect(try await source().contents().entries.count == 21)
    }

    @Test(
        "A location that cannot contain files has its own error",
        .enabled(if: FileManager.default.fileExists(atPath: system)))
    func forbidden() async throws {
        let source = VCardFileSource(URL(filePath: Self.system))
        #expect(await code { _ = try await source.add([VCard(card("Ada", uid: "a"))]) } == .forbidden)
    }

    private static let system = "/sys/kernel/uevent_seqnum"

    @Test(
        "Trap: the file ends with an unfinished card that would swallow new ones – nothing is added, and its line is reported"
    )
    func brokenEnd() async throws {
        let before = card("Ada", uid: "a") + Array("BEGIN:VCARD\r\nFN:Cut off\r\nAGENT:".utf8)
        try write(before)
        let error = await #expect(throws: KithError.self) { try await source().add([VCard(card("Grace", uid: "g"))]) }
        #expect(error?.code == .refused && error?.sentence.contains("line 6") == true, "\(error?.sentence ?? "")")
        #expect(try Data(contentsOf: url) == Data(before))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["contacts.vcf"])
    }

    @Test(
        "After any other broken end, cards can be added and are found",
        arguments: ["BEGIN:VCARD\r\nFN:x", "text", "\0\0\0", ""])
    func otherEnds(end: String) async throws {
        // A file that begins with a zero is taken for one in UTF-16.
        for first in [card("Ada", uid: "a"), []] where !first.isEmpty || !end.hasPrefix("\0") {
            try write(first, Array(end.utf8))
            _ = try await source().add([VCard(card("Grace", uid: "g"))])
            #expect(try await source().contents().names.contains("Grace"))
        }
    }

    // MARK: Watching

    @Test("A file that is replaced, and one behind a link, is watched") func replaced() async throws {
        let real = folder.url.appending(path: "real.vcf")
        try Data(card("Ada", uid: "a")).write(to: real)
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: real)
        let source = VCardFileSource(url)
        var changes = source.changes().makeAsyncIterator()

        try Data(card("In place", uid: "a")).write(to: real)
        while try await source.contents().names != ["In place"] { await changes.next() }
        try Data(card("Replaced", uid: "a")).write(to: real, options: .atomic)
        await changes.next()
        while try await source.contents().names != ["Replaced"] { await changes.next() }

        let other = folder.url.appending(path: "other.vcf")
        try Data(card("Other", uid: "a")).write(to: other)
        try FileManager.default.removeItem(at: url)
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: other)
        while try await source.contents().names != ["Other"] { await changes.next() }
    }

    @Test("A file is found although its folders are created later, or removed and created again") func foldersAbove()
        async throws
    {
        let deep = folder.url.appending(path: "a/b/c")
        let file = deep.appending(path: "contacts.vcf")
        let source = VCardFileSource(file)
        var changes = source.changes().makeAsyncIterator()
        #expect(await code { _ = try await source.contents() } == .notFound)
        for _ in 0..<2 {
            try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
            try Data(card("Ada", uid: "a")).write(to: file)
            while await code(of: { _ = try await source.contents() }) != nil { await changes.next() }
            try FileManager.default.removeItem(at: folder.url.appending(path: "a"))
            while await code(of: { _ = try await source.contents() }) == nil { await changes.next() }
        }
    }
}
