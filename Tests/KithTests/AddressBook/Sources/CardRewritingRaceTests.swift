import Foundation
import Kith
import KithAddressBook
import KithCards
import Synchronization
import Testing

/// Another program changes the files at the worst moment: when the new file is complete and about to take the place of
/// the old one.
@Suite("Editing cards in files beside other programs", .timeLimit(.minutes(15))) struct CardRewritingRaceTests {
    private let folder = TemporaryFolder()
    private var book: URL { folder.url.appending(path: "book", directoryHint: .isDirectory) }
    private var other: URL { folder.url.appending(path: "other", directoryHint: .isDirectory) }
    private var url: URL { book.appending(path: "contacts.vcf") }

    init() throws {
        for folder in [book, other] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
    }

    /// A source in a file, or in its folder, that calls `meanwhile` with the number of each attempt to write.
    private func source(
        isFile: Bool, at file: URL, now: Date = Date(), _ meanwhile: @escaping @Sendable (Int) throws -> Void
    ) -> any AddressBookSource {
        let attempts = Mutex(0)
        let hook: @Sendable () throws -> Void = {
            try meanwhile(
                attempts.withLock { attempts in
                    attempts += 1
                    return attempts
                })
        }
        return isFile
            ? VCardFileSource(file, now: { now }, beforeReplacing: hook)
            : VCardFolderSource(file.deletingLastPathComponent(), now: { now }, beforeReplacing: hook)
    }

    private func save(_ number: String, of name: String, in source: any AddressBookSource) async throws {
        let reference = try await source.contents().reference(name)
        let original = try await source.vCard(reference)
        _ = try await source.save(original.with { $0.phones[0].number = number }, editedFrom: original, as: reference)
    }

    private func remove(_ name: String, in source: any AddressBookSource) async throws {
        let reference = try await source.contents().reference(name)
        _ = try await source.remove(source.vCard(reference), as: reference)
    }

    private func files(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func bytes(_ url: URL) throws -> [UInt8] { Array(try Data(contentsOf: url)) }

    private static let ada = card("Ada", uid: "a", "TEL:1")
    private static let edited = card("Ada", uid: "a", "TEL:2")
    private static let grace = card("Grace", uid: "g", "TEL:1")
    private static let edsger = card("Edsger", uid: "e", "TEL:1")

    // MARK: The last check

    @Test(
        "Trap: another program replaces the file, or writes into it, after it was copied – its change is kept",
        arguments: [true, false], [true, false])
    func changedBeforeTheRename(isFile: Bool, isAtomic: Bool) async throws {
        let url = url
        try Data(Self.ada + Self.grace).write(to: url)
        let source = source(isFile: isFile, at: url) { attempt in
            guard attempt == 1 else { return }
            try Data(Self.ada + Self.grace + Self.edsger).write(to: url, options: isAtomic ? .atomic : [])
        }
        try await save("2", of: "Ada", in: source)
        #expect(try bytes(url) == Self.edited + Self.grace + Self.edsger)
        #expect(try files(book) == ["contacts.vcf"])
    }

    @Test(
        "Trap: another program adds a card to a file whose only card is about to be removed – its card is kept",
        arguments: [true, false])
    func changedBeforeTheRemoval(isFile: Bool) async throws {
        let url = url
        try Data(Self.ada).write(to: url)
        let source = source(isFile: isFile, at: url) { attempt in
            if attempt == 1 { try Data(Self.ada + Self.grace).write(to: url) }
        }
        // In a folder, the reference of one of several cards is another one: the removal says that the card is gone.
        let told = await code { try await remove("Ada", in: source) }
        #expect(told == (isFile ? nil : .notFound))
        #expect(try bytes(url) == (isFile ? [] : Self.ada) + Self.grace)
    }

    @Test("Trap: another program adds a card while one is added – both are in the file") func addedBeforeTheRename()
        async throws
    {
        let url = url
        try Data(Self.ada).write(to: url)
        let source = source(isFile: true, at: url) { attempt in
            if attempt == 1 { try Data(Self.ada + Self.grace).write(to: url) }
        }
        #expect(try await source.add([VCard(Self.edsger)]).references.count == 1)
        #expect(try bytes(url) == Self.ada + Self.grace + Self.edsger)
    }

    @Test(
        "A file that changes at every attempt is left to the other program, with the error busy",
        arguments: [true, false])
    func alwaysChanged(isFile: Bool) async throws {
        let url = url
        try Data(Self.ada + Self.grace).write(to: url)
        let attempts = Mutex(0)
        let source = source(isFile: isFile, at: url) { attempt in
            attempts.withLock { $0 = attempt }
            try Data(Self.ada + Self.grace + card("P", uid: String(repeating: "p", count: attempt))).write(to: url)
        }
        #expect(await code { try await save("2", of: "Ada", in: source) } == .busy)
        #expect(attempts.withLock(\.self) == 5)
        #expect(try bytes(url) == Self.ada + Self.grace + card("P", uid: "ppppp"))
        #expect(try files(book) == ["contacts.vcf"])
    }

    @Test(
        "Trap: a link leads to another file before the rename – that file is edited, and the former one is not",
        arguments: [true, false])
    func linkedElsewhere(isFile: Bool) async throws {
        let (url, first, second) = (url, other.appending(path: "1.vcf"), other.appending(path: "2.vcf"))
        try Data(Self.ada).write(to: first)
        try Data(Self.ada + Self.grace).write(to: second)
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: first)
        let source = source(isFile: isFile, at: url) { attempt in
            guard attempt == 1 else { return }
            try Data(Self.ada + Self.edsger).write(to: first)
            try FileManager.default.removeItem(at: url)
            try FileManager.default.createSymbolicLink(at: url, withDestinationURL: second)
        }
        // One card in a file has another reference than one of several in a folder: the edit says that it is gone.
        let told = await code { try await save("2", of: "Ada", in: source) }
        #expect(told == (isFile ? nil : .notFound))
        #expect(try bytes(first) == Self.ada + Self.edsger)
        #expect(try bytes(second) == (isFile ? Self.edited : Self.ada) + Self.grace)
    }

    // MARK: Locks

    @Test(
        "While a linked file in another folder is edited, both folders are locked, so that no other source writes there"
    )
    func locksBoth() async throws {
        let (book, other, target) = (book, other, other.appending(path: "ada.vcf"))
        try Data(Self.ada).write(to: target)
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: target)
        let seen = Mutex<[Bool]>([])
        let source = source(isFile: false, at: url) { _ in
            seen.withLock { $0 = [Self.isLocked(book), Self.isLocked(other)] }
        }
        try await save("2", of: "Ada", in: source)
        #expect(seen.withLock(\.self) == [true, true])
        #expect(!Self.isLocked(book) && !Self.isLocked(other))
        #expect(try bytes(target) == Self.edited)
    }

    private static func isLocked(_ folder: URL) -> Bool {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }

    @Test("A link within the folder, and one that leads through another path of the folder, lock it once")
    func locksOnce() async throws {
        let alias = folder.url.appending(path: "alias")
        try FileManager.default.createSymbolicLink(at: alias, withDestinationURL: book)
        try Data(Self.ada).write(to: book.appending(path: "real"))
        try FileManager.default.createSymbolicLink(
            at: url, withDestinationURL: alias.appending(path: "real"))
        try await save("2", of: "Ada", in: VCardFolderSource(alias))
        #expect(try bytes(book.appending(path: "real")) == Self.edited)
    }

    @Test("Two folders whose links lead to each other are edited at once: neither waits for ever") func crossed()
        async throws
    {
        for (folder, linked) in [(book, other), (other, book)] {
            try Data(Self.ada).write(to: folder.appending(path: "real"))
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "ada.vcf"), withDestinationURL: linked.appending(path: "real"))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for folder in [book, other] {
                group.addTask {
                    for number in 2..<12 { try await save("\(number)", of: "Ada", in: VCardFolderSource(folder)) }
                }
            }
            try await group.waitForAll()
        }
        for folder in [book, other] {
            #expect(try bytes(folder.appending(path: "real")) == card("Ada", uid: "a", "TEL:11"))
        }
    }

    @Test("What a killed program has left in the folder that is written to is deleted") func abandoned() async throws {
        let target = other.appending(path: "ada.vcf")
        try Data(Self.ada).write(to: target)
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: target)
        for folder in [book, other] { try Data().write(to: folder.appending(path: ".kith-1.tmp")) }
        let source = source(isFile: false, at: url, now: Date() + AtomicFile.abandonedAge * 2) { _ in }
        try await save("2", of: "Ada", in: source)
        #expect(try files(book) == ["contacts.vcf"])
        #expect(try files(other) == ["ada.vcf"])
    }

    // MARK: What is not a card

    static let unreadable = [
        "# Notes of last summer\r\n", "TEL:5\r\n", "BEGIN:VCARD\r\nFN:\r\n",
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n",
        "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Large\r\nNOTE:" + String(repeating: "x", count: VCard.Limits.bytes)
            + "\r\nEND:VCARD\r\n",
    ]

    @Test(
        "Removing the only card that can be read removes its bytes, and nothing of the rest of the file",
        arguments: unreadable.indices, [true, false])
    func keepsTheRest(index: Int, isBefore: Bool) async throws {
        let rest = Array(Self.unreadable[index].utf8)
        if isBefore && index == 2 { return }  // A card after an unfinished one ends it, and is read as usual.
        try Data(isBefore ? rest + Self.ada : Self.ada + rest).write(to: url)
        try await remove("Ada", in: VCardFolderSource(book))
        #expect(try files(book) == ["contacts.vcf"])
        #expect(try bytes(url) == rest)
    }

    @Test("Text in UTF-16 beside the only card is kept, with its byte order mark", arguments: ["\u{2020}", "# x\n"])
    func keepsTheRestInUTF16(rest: String) async throws {
        let card = String(decoding: Self.ada, as: UTF8.self)
        try #require((card + rest).data(using: .utf16)).write(to: url)
        try await remove("Ada", in: VCardFolderSource(book))
        #expect(try Data(contentsOf: url) == rest.data(using: .utf16))
    }

    @Test(
        "A file with nothing but white space and a byte order mark beside its last card is deleted with it",
        arguments: [String.Encoding.utf8, .utf16, .utf16BigEndian, .utf16LittleEndian])
    func deletesBlankFiles(encoding: String.Encoding) async throws {
        let isMarked = encoding == .utf8
        let text = (isMarked ? "\u{FEFF}" : "") + String(decoding: Self.ada, as: UTF8.self) + "\r\n \t\n"
        try #require(text.data(using: encoding)).write(to: url)
        try await remove("Ada", in: VCardFolderSource(book))
        #expect(try files(book) == [])
    }
}
