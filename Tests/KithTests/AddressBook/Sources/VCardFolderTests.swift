import Foundation
import Kith
import KithAddressBook
import KithCards
import Testing

@Suite("A folder of vCards", .timeLimit(.minutes(15))) struct VCardFolderTests {
    private let folder = TemporaryFolder()
    private var url: URL { folder.url.appending(path: "book", directoryHint: .isDirectory) }

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws { try Data(bytes).write(to: url.appending(path: name)) }

    /// A source to which every file looks old.
    private func source() -> VCardFolderSource { VCardFolderSource(url, now: { .distantFuture }) }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    @Test("Hidden files, temporary files and other types are ignored") func passesOver() async throws {
        try write("ada.vcf", card("Ada", uid: "a"))
        try write("GRACE.VCF", card("Grace", uid: "g"))
        for name in [".hidden.vcf", "x.vcf.tmp", "x.tmp", "notes.txt", ".kith-1.tmp", ".vcf"] {
            try write(name, card("No", uid: name))
        }
        try write("displayname", Array("Friends".utf8))
        try write("color", Array("#ff0000".utf8))
        try FileManager.default.createDirectory(at: url.appending(path: "sub.vcf"), withIntermediateDirectories: true)
        #expect(mkfifo(url.appending(path: "pipe.vcf").path, 0o600) == 0)
        let contents = try await source().contents()
        #expect(contents.names == ["Ada", "Grace"])
        #expect(contents.faults == [])
    }

    @Test("A file may hold several cards") func several() async throws {
        try write("all.vcf", card("Ada", uid: "a") + card("Grace", uid: "g") + card("Also a", uid: "a"))
        try write("one.vcf", card("Edsger", uid: "a"))
        let source = source()
        let contents = try await source.contents()
        #expect(contents.names == ["Ada", "Also a", "Edsger", "Grace"])
        #expect(Set(contents.entries.map(\.reference)).count == 4)
        for entry in contents.entries { #expect(Card(try await source.vCard(entry.reference)) == entry.card) }
    }

    @Test("A file that cannot be read, or has no card, is a fault that names it and stops no other") func faults()
        async throws
    {
        try write("ada.vcf", card("Ada", uid: "a"))
        try write("empty.vcf", [])
        #if os(Linux)
            // Reading it fails, whoever reads.
            let broken = url.appending(path: "broken.vcf")
            try FileManager.default.createSymbolicLink(atPath: broken.path, withDestinationPath: "/proc/self/mem")
        #endif
        let contents = try await source().contents()
        #expect(contents.names == ["Ada"])
        #expect(contents.faults.map(\.name).contains("empty.vcf"))
        #if os(Linux)
            #expect(contents.faults.map(\.name).contains("broken.vcf"))
        #endif
    }

    @Test("Only files that have changed are read again") func readsChanges() async throws {
        for number in 0..<300 { try write("\(number).vcf", card("P\(number)", uid: "\(number)")) }
        let source = source()
        _ = try await source.contents()
        try write("7.vcf", card("Ada", uid: "7"))
        try write("new.vcf", card("Grace", uid: "new"))
        try FileManager.default.removeItem(at: url.appending(path: "8.vcf"))
        let heard = Kept<[Int]>([])
        let contents = try await source.load(LoadProgress { _, of in heard.change { $0.append(of ?? 0) } })
        #expect(heard.value == [2])
        #expect(contents.entries.count == 300)
        #expect(contents.names.contains("Ada") && contents.names.contains("Grace") && !contents.names.contains("P8"))
    }

    @Test("A change in the moment of a load is not missed, though the file looks the same") func sameMoment()
        async throws
    {
        let source = VCardFolderSource(url)
        for number in 10..<60 {
            try write("ada.vcf", card("Ada \(number)", uid: "a"))
            #expect(try await source.contents().names == ["Ada \(number)"])
        }
    }

    @Test("A reference cannot lead to a file outside of the folder") func noWayOut() async throws {
        try Data(card("Outside", uid: "o")).write(to: folder.url.appending(path: "outside.vcf"))
        try write("ada.vcf", card("Ada", uid: "a"))
        for name in ["../outside.vcf", "..", "", "/etc/passwd", ".vcf", "ada.vcf/../../outside.vcf"] {
            #expect(await code { _ = try await source().vCard(CardReference(name)) } == .notFound, "\(name)")
        }
    }

    // MARK: Adding

    @Test(
        "No uid leads out of the folder, creates a hidden file, or gives a name that is too long",
        arguments: [
            "../../outside", "/etc/x", "..", ".", ".hidden", "a/b", "a\\b", "-rf", String(repeating: "é", count: 250),
            String(repeating: "x", count: 255), "a\nb", "a b", "ümlaut", "urn:uuid:1234", "NUL\u{1}",
        ])
    func safeNames(uid: String) async throws {
        let escaped = uid.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        let bytes = card("Ada", uid: escaped)
        let references = try await source().add([VCard(bytes)]).references
        let name = try #require(files.first)
        #expect(try files.count == 1 && references == [CardReference(name)])
        #expect(name.hasSuffix(".vcf") && name.utf8.count <= 255 && !name.hasPrefix("."))
        #expect(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
        #expect(try Data(contentsOf: url.appending(path: name)) == Data(bytes))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["book"])
        #expect(try await source().add([VCard(bytes)]).references == [])
    }

    @Test("A plain uid is the file's name, so that other programs find it") func plainNames() async throws {
        let uid = "1f0c2a7e-0b7e-4e0f-9c4e-1b2d3c4d5e6f"
        #expect(try await source().add([VCard(card("Ada", uid: uid))]).references == [CardReference("\(uid).vcf")])
    }

    @Test("A name that another card has is left to it") func takenNames() async throws {
        try write("grace.vcf", card("Ada", uid: "a"))
        let added = try await source().add([VCard(card("Grace", uid: "grace"))]).references
        #expect(added == [CardReference("grace-2.vcf")])
        #expect(try Data(contentsOf: url.appending(path: "grace.vcf")) == Data(card("Ada", uid: "a")))
    }

    @Test("Programs that add the same cards at once add each once") func addsAtOnce() async throws {
        let cards = try (0..<20).map { try VCard(card("P", uid: "u\($0)")) }
        let sources = (0..<4).map { _ in source() }
        let added = try await withThrowingTaskGroup { group in
            for source in sources { group.addTask { try await source.add(cards).references.count } }
            return try await group.reduce(0, +)
        }
        #expect(added == 20)
        #expect(try files.count == 20)
    }

    @Test("A new file has the mode that the user gives new files, as vdirsyncer and khard have to read it") func mode()
        async throws
    {
        try write("usual.txt", [])
        _ = try await source().add([VCard(card("Ada", uid: "ada"))])
        let modes = try ["usual.txt", "ada.vcf"].map {
            try #require(
                FileManager.default.attributesOfItem(atPath: url.appending(path: $0).path)[.posixPermissions] as? Int)
        }
        #expect(modes[0] == modes[1])
    }

    // MARK: Watching

    @Test("A burst of changes is reported a few times, however many there are") func burst() async throws {
        let source = source()
        let heard = Kept(0)
        let (elements, element) = AsyncStream.makeStream(of: Void.self)
        let changes = source.changes()
        let listening = Task {
            for await _ in changes {
                heard.change { $0 += 1 }
                element.yield()
            }
        }
        let clock = ContinuousClock()
        let start = clock.now
        for number in 0..<500 { try write("\(number).vcf", card("P", uid: "\(number)")) }
        for await _ in elements where try await source.contents().entries.count == 500 { break }
        // Once in each quiet period, of 100 ms.
        #expect(heard.value <= Int((clock.now - start) / .milliseconds(100)) + 1)
        listening.cancel()
    }

    @Test("Only changes of the watched folder's cards, and of the path to them, are reported")
    func whatMatters() throws {
        let watch = PathWatch(path: url.path, isFolder: true, matters: VCardFolder.holdsCards)
        let book = try #require(watch.interests[url.path])
        let above = try #require(watch.interests[folder.url.path])
        #expect(watch.matters("ada.vcf", for: book) && watch.matters("book", for: above))
        for name in ["x.tmp", ".hidden.vcf", "book", "displayname"] { #expect(!watch.matters(name, for: book)) }
        #expect(!watch.matters("ada.vcf", for: above))
    }

    #if os(Linux)
        @Test("Trap: more events happen than the system stores – an overflow counts as a change") func overflow()
            async throws
        {
            let limit = try Int(
                String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
                    .trimmingCharacters(in: .whitespacesAndNewlines))
            let told = AsyncStream.makeStream(of: Void.self)
            let gate = DispatchSemaphore(value: 0)
            let held = AsyncStream.makeStream(of: Void.self)
            let isFirst = Kept(true)
            let watch = PathWatch(path: url.path, isFolder: true, matters: { $0 == "ada.vcf" || $0 == "first.vcf" })
            let watching = Watching(watch) {
                if isFirst.value {
                    // Nothing is read of what happens from now on, until the test says so.
                    isFirst.change { $0 = false }
                    held.continuation.yield()
                    gate.wait()
                }
                told.continuation.yield()
            }
            try write("first.vcf", [])
            for await _ in held.stream { break }
            let (one, other) = (url.appending(path: "one").path, url.appending(path: "other").path)
            try Data().write(to: URL(filePath: one))
            for _ in 0..<(limit ?? 0) / 2 + 10 {
                rename(one, other)
                rename(other, one)
            }
            // This one is beyond what is remembered.
            try write("ada.vcf", card("Ada", uid: "a"))
            gate.signal()
            var count = 0
            for await _ in told.stream {
                count += 1
                if count == 2 { break }
            }
            watching.end()
        }
    #endif
}
