import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("A change is reported after its commit", .timeLimit(.minutes(15))) struct CommitOrderTests {
    private let folder = TemporaryFolder()

    @Test("An observer of a change, of the device's or the server's, can already read it through another connection")
    func listeners() async throws {
        let (phone, list) = try await Phone.withList(file: folder.replica)
        let reader = try SecondConnection(folder.replica)
        let told = Kept<[ExternalChanges]>([])
        let listener = phone.client.replica.hub.listen { announcement in
            if let one = reader.told(announcement) { told.change { $0.append(one) } }
        }
        #expect(listener > 0)
        let milk = try await phone.lists.add("Milk", to: list)
        try await phone.lists.setTicked(milk.id, true)
        try await phone.lists.create("Party")
        try await phone.client.syncNow()
        let (ada, now) = (AccountID(UUID(high: 0x0190_0000_0000_7000, low: 1)), phone.clock.now)
        phone.server.change {
            $0.write(.items, milk.id.retyped(), ["title": "Oat milk"], in: list.retyped(), at: now)
            $0.write(.lists, list.retyped(), ["name": "Food"], in: list.retyped(), at: now)
            $0.share(list, with: ada, as: .viewer, at: now)
        }
        try await phone.client.syncNow()
        let me = try #require(try await phone.client.session.account())
        phone.server.change {
            let grace: Fields = ["wish": "connect", "asked": .integer(now.milliseconds), "given": "Grace"]
            $0.write(.contacts, ada.retyped(), grace, in: me.retyped(), at: now)
        }
        try await phone.client.syncNow()
        phone.server.change { $0.write(.contacts, ada.retyped(), ["given": "Ada"], in: me.retyped(), at: now) }
        try await phone.client.syncNow()
        try await phone.lists.remove(milk.id)
        try await phone.lists.removeMember(ada, from: list)
        try await phone.lists.remove(list)
        try await phone.client.syncNow()
        #expect(told.value.filter { !$0.isTrue }.map(\.description) == [])
        let texts = [
            "items Milk", "items Milk, ticked", "items Oat milk, ticked", "lists Food", "members viewer",
            "contacts Ada",
        ]
        for text in texts {
            #expect(told.value.contains { $0.description.hasPrefix(text) }, "\(text) was not told.")
        }
        for kind in ["lists", "items", "members"] {
            #expect(told.value.contains { $0.kind == kind && !$0.removed.isEmpty })
        }
    }

    @Test("The receiver of a notification can already read the change through another connection") func notifications()
        async throws
    {
        let id = ListID(UUID(high: 0x0190_0000_0000_7000, low: 0xC0_FFEE))
        let phone = try Phone(file: folder.replica, postsNotifications: true)
        let reader = try SecondConnection(folder.replica)
        let told = Kept<[ExternalChanges]>([])
        let center = NotificationCenter.default
        // The centre is everybody's: what other clients post is not looked at.
        let tokens = [
            center.addObserver(forName: .kithListsChanged, object: nil, queue: nil) { note in
                guard let changed = note.userInfo?["changed"] as? Changed<SharedList>,
                    (changed.added + changed.modified).contains(where: { $0.id == id }),
                    let one = reader.told(.changes(changed))
                else { return }
                told.change { $0.append(one) }
            },
            center.addObserver(forName: .kithItemsChanged, object: nil, queue: nil) { note in
                guard let changed = note.userInfo?["changed"] as? Changed<ListItem>,
                    (changed.added + changed.modified).contains(where: { $0.listID == id }),
                    let one = reader.told(.changes(changed))
                else { return }
                told.change { $0.append(one) }
            },
            center.addObserver(forName: .kithMembersChanged, object: nil, queue: nil) { note in
                guard let changed = note.userInfo?["changed"] as? Changed<Member>,
                    changed.added.contains(where: { $0.listID == id }), let one = reader.told(.changes(changed))
                else { return }
                told.change { $0.append(one) }
            },
        ]
        defer { for token in tokens { center.removeObserver(token) } }
        try await phone.lists.create("Groceries", id: id)
        let milk = try await phone.lists.add("Milk", to: id)
        try await phone.lists.setTicked(milk.id, true)
        try await phone.client.syncNow()
        #expect(told.value.filter { !$0.isTrue }.map(\.description) == [])
        #expect(Set(told.value.map(\.kind)) == ["lists", "items", "members"])
    }

    @Test("Streams and live queries give only what another connection can already read") func streams() async throws {
        let (phone, list) = try await Phone.withList(file: folder.replica)
        let reader = try SecondConnection(folder.replica)
        let names = (0..<40).map { "List \($0)" } + ["The last"]
        let untrue = try await withThrowingTaskGroup(of: [String].self) { group in
            group.addTask {
                var untrue: [String] = []
                for await changed in phone.lists.changes() {
                    if let told = reader.told(.changes(changed)), !told.isTrue { untrue.append(told.description) }
                    if changed.added.contains(where: { $0.name == "The last" }) { break }
                }
                return untrue
            }
            group.addTask {
                var untrue: [String] = []
                for await changed in phone.lists.itemChanges() {
                    if let told = reader.told(.changes(changed)), !told.isTrue { untrue.append(told.description) }
                    if changed.added.contains(where: { $0.title == "The last" }) { break }
                }
                return untrue
            }
            group.addTask {
                var untrue: [String] = []
                for await items in phone.lists.liveItems(in: list) {
                    untrue += Set(items.map(\.title)).subtracting(reader.rows("SELECT title FROM item"))
                    if items.contains(where: { $0.title == "The last" }) { break }
                }
                return untrue
            }
            group.addTask {
                for name in names {
                    try await phone.lists.add(name, to: list)
                    try await phone.lists.create(name)
                }
                return []
            }
            return try await group.reduce(into: [String]()) { $0 += $1 }
        }
        #expect(untrue == [])
    }

    @Test("The engine is woken by an edit's commit, and not by its beginning") func wake() async throws {
        let (phone, list) = try await Phone.withList(file: folder.replica)
        let before = phone.server.rounds.count
        let loop = Task { [client = phone.client] in await client.run() }
        defer { loop.cancel() }
        // The engine's first round, and the one for what was missed before the stream opened. Then nothing is left to do.
        try await until { phone.server.rounds.count >= before + 2 }
        try await until { try await !phone.client.status().isSyncing }
        // A write that takes long. At its commit the edits are older than the pause in typing that the engine waits for.
        try await phone.client.write { [clock = phone.clock] changes in
            for index in 0..<200 { try changes.add("Item \(index)", to: list) }
            clock.advance(by: .seconds(1))
        }
        for await status in phone.client.liveStatus() where status.waiting == 0 { break }
        #expect(phone.server.change { $0.titles(in: list).count } == 200)
        loop.cancel()
        await loop.value
    }
}

/// A change as it was told, and what another connection read at that moment.
private struct ExternalChanges: Sendable, CustomStringConvertible {
    let kind: String
    /// What is there now.
    let present: Set<String>
    /// What is gone.
    let removed: Set<String>
    /// What the other connection read.
    let read: Set<String>

    var isTrue: Bool { present.isSubset(of: read) && removed.isDisjoint(with: read) }

    var description: String {
        "\(kind) \(present.sorted().joined(separator: "; ")) − \(removed.sorted().joined(separator: "; "))"
    }
}

/// A connection to the replica's file that has nothing in common with the client's.
private struct SecondConnection: Sendable {
    private let database: DatabaseQueue

    init(_ file: URL) throws { database = try DatabaseQueue(path: file.path) }

    /// The texts of a query's first column; none if the file cannot be read.
    func rows(_ sql: String) -> Set<String> {
        let rows = try? database.read { try String.fetchAll($0, sql: sql) }
        return Set(rows ?? [])
    }

    /// What an announcement says, beside what can be read. Nil for what no test here asks for.
    func told(_ announcement: Announcement) -> ExternalChanges? {
        if let changed = announcement.lists {
            return ExternalChanges(
                kind: "lists", present: Set((changed.added + changed.modified).map(\.name)),
                removed: Set(changed.removed.map(\.name)), read: rows("SELECT name FROM list WHERE NOT removed"))
        }
        if let changed = announcement.items {
            return ExternalChanges(
                kind: "items", present: Set((changed.added + changed.modified).map(Self.text)),
                removed: Set(changed.removed.map(Self.text)),
                read: rows(
                    """
                    SELECT title || CASE WHEN coalesce(ticked, 0) THEN ', ticked' ELSE '' END
                    FROM item WHERE NOT removed
                    """))
        }
        if let changed = announcement.members {
            return ExternalChanges(
                kind: "members", present: Set((changed.added + changed.modified).map(\.role.rawValue)),
                removed: Set(changed.removed.map(\.role.rawValue)),
                read: rows("SELECT role FROM member WHERE NOT removed"))
        }
        if let differences = announcement.contacts {
            return ExternalChanges(
                kind: "contacts", present: Set(differences.changes(in: .everyone).present),
                removed: [], read: rows("SELECT given FROM contact WHERE NOT removed"))
        }
        return nil
    }

    private static func text(_ item: ListItem) -> String { item.isTicked ? "\(item.title), ticked" : item.title }
}

extension NetworkChanges {
    /// The names of whoever is there now.
    fileprivate var present: [String] { (added + updated.map(\.contact)).compactMap(\.given) }
}
