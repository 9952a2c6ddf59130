import Foundation
import Kith
import KithModel
import Processes
import Testing

@Suite("A disk that fails") struct DiskTests {
    private func folder(_ name: String) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "kith-\(name)-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test(
        "On a full disk a write fails with diskFull and changes nothing, reads still work, and writes resume when there is space"
    )
    func diskFull() async throws {
        let folder = try folder("full")
        defer { try? FileManager.default.removeItem(at: folder) }
        // A limit on the size of files stands in for a small disk; the shell's unit is half a kilobyte.
        let script = "trap '' XFSZ; ulimit -f 3000; exec \"$0\" fill \"$1\""
        let child = try await ChildProcess(
            URL(filePath: "/bin/sh"), ["-c", script, World.program("KithLoad").path(), folder.path()],
            complaints: folder.appending(path: "complaints.log"))
        var lines: [String] = []
        for await line in child.lines { lines.append(line) }
        #expect(await child.ended() == 0)
        let edits = lines.filter { $0.hasPrefix("edited ") }.count
        #expect(edits > 0)
        #expect(
            lines.suffix(2) == ["refused \(edits + 1) diskFull", "reads \(edits) \(edits + World.sums)"],
            "Half of an edit was kept, or reading failed.")

        let client = try KithClient(KithConfiguration(server: nil, storage: .directory(folder)))
        let list = try #require(try await client.lists.all().first)
        #expect(try await client.lists.items(in: list.id).count == edits + World.sums)
        let added = try await client.lists.add("Now there is space", to: list.id)
        #expect(try await client.lists.item(added.id) == added)
    }

    @Test("If the disk gets full while contacts are imported into a folder, the message says how many were added")
    func fullFolder() async throws {
        let folder = try folder("contacts")
        defer { try? FileManager.default.removeItem(at: folder) }
        let cards = folder.appending(path: "cards", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: cards, withIntermediateDirectories: true)
        func vCard(_ name: String, _ lines: Int = 0) -> String {
            let rest = String(repeating: "X-A:\(String(repeating: "a", count: 1_000))\r\n", count: lines)
            return "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:\(name)\r\n\(rest)END:VCARD\r\n"
        }
        let file = folder.appending(path: "all.vcf")
        try Data((vCard("Ada") + vCard("Grace") + vCard("Large", 5_000) + vCard("Edsger")).utf8).write(to: file)
        let complaints = folder.appending(path: "complaints.log")
        // The large card exceeds the limit of 4 MiB, and the database does not.
        func kith(_ words: String..., limit: Int? = nil) async throws -> Int32 {
            let script = "trap '' XFSZ; \(limit.map { "ulimit -f \($0); " } ?? "")exec \"$0\" \"$@\""
            let data = folder.appending(path: "data").path()
            let child = try await ChildProcess(
                URL(filePath: "/bin/sh"), ["-c", script, World.program("kith").path(), "--data", data] + words,
                complaints: complaints)
            for await _ in child.lines {}
            return await child.ended()
        }
        #expect(try await kith("contacts", "add-source", cards.path()) == 0)
        #expect(try await kith("contacts", "import", file.path(), limit: 8_192) == 73)
        let told = try String(contentsOf: complaints, encoding: .utf8)
        #expect(told.contains("2 of 4 cards were added. Then the disk of"), "\(told)")
        #expect(try await kith("contacts", "import", file.path()) == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: cards.path())
        #expect(files.count { $0.hasSuffix(".vcf") } == 4)
    }

    @Test(
        "Data can be read if the disk was full before the start; a write fails with diskFull, and works when there is space"
    )
    func fullBeforeTheStart() async throws {
        let folder = try folder("started-full")
        defer { try? FileManager.default.removeItem(at: folder) }
        /// Runs `kith`. A limit on the size of files, in units of half a kilobyte, stands in for a full disk: the database is
        /// larger, and so is the index of its log.
        func kith(_ words: String..., limit: Int? = nil) async throws -> (status: Int32, output: String) {
            let script = "trap '' XFSZ; \(limit.map { "ulimit -f \($0); " } ?? "")exec \"$0\" \"$@\""
            let child = try await ChildProcess(
                URL(filePath: "/bin/sh"),
                ["-c", script, World.program("kith").path(), "--json", "--data", folder.path()] + words,
                complaints: nil)
            var lines: [String] = []
            for await line in child.lines { lines.append(line) }
            return (await child.ended(), lines.joined(separator: "\n"))
        }
        #expect(try await kith("lists", "create", "Full").status == 0)
        #expect(try await kith("items", "add", "Full", "Milk").status == 0)
        let read = try await kith("items", "Full", limit: 8)
        #expect(read.status == 0 && read.output.contains("Milk"), "\(read)")
        #expect(try await kith("items", "add", "Full", "Tea", limit: 8).status == 73)
        let unchanged = try await kith("items", "Full")
        #expect(unchanged.output.contains("Milk") && !unchanged.output.contains("Tea"), "\(unchanged)")
        #expect(try await kith("items", "add", "Full", "Tea").status == 0)
        #expect(try await kith("items", "Full").output.contains("Tea"))
    }
}
