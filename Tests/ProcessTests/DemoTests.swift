import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("The demonstration") struct DemoTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "kith-demo-\(UUID().uuidString)", directoryHint: .isDirectory)

    private func demo(_ arguments: String...) async throws -> (status: Int32, lines: [String]) {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let child = try await ChildProcess(
            World.program("kith"), ["demo"] + arguments, complaints: folder.appending(path: "complaints.log"))
        var lines: [String] = []
        for await line in child.lines { lines.append(line) }
        return (await child.ended(), lines)
    }

    @Test("Tells the story to its end, twice in the same folder, and leaves the devices' data there")
    func toTheEnd() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let data = folder.appending(path: "data")
        for _ in 1...2 {
            let (status, lines) = try await demo("--data", data.path())
            #expect(status == 0, "\(lines.joined(separator: "\n"))")
            #expect(
                lines.contains {
                    $0.hasSuffix("items are equal on phone, tablet and server: every field, and the order")
                })
            let last = lines.compactMap { $0.firstMatch(of: /of ([0-9]+) items are equal on/).flatMap { Int($0.1) } }
                .first
            let ticked = lines.reduce(0) {
                $0 + $1.split(separator: " ✓✓✓ ", omittingEmptySubsequences: false).count - 1
            }
            #expect(ticked >= 200 && ticked == last, "Every item has its row.")
            let books = try #require(
                lines.compactMap { $0.firstMatch(of: /([0-9]+) of ([0-9]+) contacts, of ([0-9]+) cards, are equal/) }
                    .first)
            #expect(books.1 == books.2 && books.3 == "302" && (200..<302).contains(Int(books.1) ?? 0))
            let people = lines.compactMap {
                $0.firstMatch(of: /([0-9]+) of ([0-9]+) people are equal to a fresh start/)
            }
            #expect(people.count == 3 && people.allSatisfy { $0.1 == "2" && $0.2 == "2" })
            for name in [
                "finished", "phone/kith.sqlite", "tablet/kith.sqlite", "server.sqlite", "address-books/gmail.vcf",
                "address-books/khard", "people/zoe/kith.sqlite", "people/lukasz/kith.sqlite",
                "people/lucia/kith.sqlite",
            ] {
                #expect(FileManager.default.fileExists(atPath: data.appending(path: name).path()), "\(name)")
            }
        }
    }

    @Test(
        "Ends with a complaint and a code when something goes wrong, and keeps what there is", .timeLimit(.minutes(15)))
    func badEnd() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        // Its server cannot start: another has the port.
        try await World.run { world in
            let data = folder.appending(path: "data")
            let (status, lines) = try await demo("--data", data.path(), "--port", "\(world.server.url.port ?? 0)")
            #expect(status != 0)
            #expect(lines.last == "What the devices and the server have is kept in \(data.path())/")
            let complaints = try String(contentsOf: folder.appending(path: "complaints.log"), encoding: .utf8)
            #expect(complaints.hasPrefix("kith: "))
            #expect(FileManager.default.fileExists(atPath: data.appending(path: "server.log").path()))
            #expect(!FileManager.default.fileExists(atPath: data.appending(path: "finished").path()))
        }
    }

    @Test("Touches no folder that has other things in it")
    func otherPeoplesFolder() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let data = folder.appending(path: "data", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        try Data("dear diary".utf8).write(to: data.appending(path: "diary.txt"))
        let (status, _) = try await demo("--data", data.path())
        #expect(status == 64)
        #expect(try FileManager.default.contentsOfDirectory(atPath: data.path()) == ["diary.txt"])
    }

    @Test("Refuses a list that is too short to tell it with")
    func shortList() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let list = folder.appending(path: "short.md")
        try Data("# Short\n\n- [ ] Tea\n".utf8).write(to: list)
        let (status, lines) = try await demo("--list", list.path())
        #expect(status == 7 && lines.isEmpty)
    }

    @Test("Notices an item that one of the three has differently, has not, or has elsewhere")
    func comparison() {
        let list = ListID(UUID())
        let keys = IndexKey.spread(3)
        let items = keys.map {
            ListItem(
                id: ItemID(UUID()), listID: list, title: "Tea \($0)", position: $0, modified: Timestamp(milliseconds: 1)
            )
        }
        var changed = items
        changed[1].count = 2
        #expect(Comparison(phone: items, tablet: items, server: items).differences.isEmpty)
        #expect(Comparison(phone: changed, tablet: items, server: items).differences.count == 3)
        #expect(!Comparison(phone: items, tablet: items.dropLast(), server: items).differences.isEmpty)
        #expect(!Comparison(phone: items, tablet: items, server: items.reversed()).differences.isEmpty)
    }

    @Test("Notices a contact that a fresh start shows otherwise, or of other cards")
    func pictures() throws {
        let shown = BookPicture([["a/1", "b/1"]: ["Zoë", "+436645550101"], ["a/2"]: ["Ada"]])
        #expect(shown.differences(from: shown).isEmpty)
        #expect(try shown.verdict(besides: shown).hasPrefix("2 of 2 contacts, of 3 cards, are equal"))
        let others: [BookPicture] = [
            BookPicture([["a/1", "b/1"]: ["Zoë", "+436645550102"], ["a/2"]: ["Ada"]]),
            BookPicture([["a/1"]: ["Zoë", "+436645550101"], ["b/1"]: ["Zoë", "+436645550101"], ["a/2"]: ["Ada"]]),
            BookPicture([["a/1", "b/1"]: ["Zoë", "+436645550101"]]),
        ]
        for other in others {
            #expect(!shown.differences(from: other).isEmpty)
            #expect(throws: Failure.self) { try shown.verdict(besides: other) }
        }
    }

    @Test("Notices a profile or a person that a fresh start shows otherwise, or has not")
    func people() throws {
        var profile = Profile()
        profile.given = "Zoë"
        let (ada, grace) = (AccountID(UUID()), AccountID(UUID()))
        let fields: Fields = ["given": "Ada", "wish": "connect", "asked": 1]
        let people = [(ada, fields), (grace, ["wish": "connect"])].map {
            NetworkContact(id: $0, $1, modified: Timestamp(milliseconds: 1))
        }
        let shown = PeoplePicture(profile, people)
        #expect(shown.differences(from: PeoplePicture(profile, people.reversed())).isEmpty)
        #expect(try shown.verdict(besides: shown).hasPrefix("the profile and 2 of 2 people are equal"))
        let blocked = NetworkContact(
            id: ada, fields.merging(["isBlocked": true]) { $1 }, modified: Timestamp(milliseconds: 1))
        let others = [
            PeoplePicture(Profile(), people), PeoplePicture(profile, [people[0]]),
            PeoplePicture(profile, people + [NetworkContact(id: AccountID(UUID()), [:], modified: people[0].modified)]),
            PeoplePicture(profile, [blocked, people[1]]),
        ]
        for other in others {
            #expect(shown.differences(from: other).count == 1)
            #expect(throws: Failure.self) { try shown.verdict(besides: other) }
        }
    }

    @Test("Shows every item on all three sides, and ends with code 1 and what differs unless all are equal")
    func ending() throws {
        let list = ListID(UUID())
        let items = zip(["Tea", "Bread", "A title that goes on and on"], IndexKey.spread(3)).map {
            ListItem(id: ItemID(UUID()), listID: list, title: $0, position: $1, modified: Timestamp(milliseconds: 1))
        }
        let equal = Comparison(phone: items, tablet: items, server: items)
        #expect(
            equal.rows(width: 50) == [
                "   1 ✓✓✓ ☐ Tea", "   2 ✓✓✓ ☐ Bread", "   3 ✓✓✓ ☐ A title that goes on and on",
            ])
        #expect(
            equal.rows(width: 80) == [
                "   1 ✓✓✓ ☐ Tea                             3 ✓✓✓ ☐ A title that goes on and on", "   2 ✓✓✓ ☐ Bread",
            ])
        #expect(equal.rows(width: 30)[2] == "   3 ✓✓✓ ☐ A title that goes…")
        #expect(try equal.verdict().hasPrefix("3 of 3 items are equal"))

        var changed = items
        changed[0].isTicked = true
        let unequal = Comparison(phone: changed, tablet: items.dropLast(), server: items)
        #expect(
            unequal.rows(width: 50) == [
                "   1 ✗✓✓ ☐ Tea", "   2 ✓✓✓ ☐ Bread", "   3 ✓–✓ ☐ A title that goes on and on",
            ])
        #expect(Comparison(phone: items, tablet: items, server: []).rows(width: 50)[0] == "   – ✗✗– ☐ Tea")
        let failure = try #require(throws: Failure.self) { try unequal.verdict() }
        #expect(failure.candidates.contains { $0.hasPrefix("phone: ") })
        #expect(Failure(failure)?.status.rawValue == 1)
    }
}
