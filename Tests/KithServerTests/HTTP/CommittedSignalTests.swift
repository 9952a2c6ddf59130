import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("Events of a live stream are committed", .timeLimit(.minutes(15))) struct CommittedSignalTests {
    private let folder = Folder()

    /// What one person does and a live stream tells.
    enum Deed: String, CaseIterable, CustomTestStringConvertible {
        case edit, joining, profile, deletion

        var testDescription: String { rawValue }
    }

    @Test("A second connection to the database reads a change as soon as a stream reports it", arguments: Deed.allCases)
    func committedFirst(deed: Deed) async throws {
        try await Backend.file.withSQLite { database, folder in
            let beside = try SQLiteDatabase(besideServer: folder.database)
            try await TestServer.run(database: database) { server in
                let scene = try await Scene(Village(server: server, database: database))
                let listener = deed.isHeardByBen ? scene.ben : TestDevice(scene.ada.session)
                let feed: FeedID = deed.isHeardByBen ? scene.ben.account.retyped() : scene.list.retyped()
                let stream = try await server.live(listener.session, listener.id)

                let isHeard = Mutex(false)
                database.onCommit = Self.holding { isHeard.withLock { $0 } }
                async let done: Void = scene.perform(deed)
                try await Self.hear(of: feed, on: stream)
                let isThere = try scene.isThere(deed, in: beside)
                isHeard.withLock { $0 = true }
                #expect(isThere, "The stream told of something that others cannot read yet.")
                try await done
                database.onCommit = nil
            }
        }
    }

    @Test("The streams of a deleted account end when a second connection finds the account gone")
    func endOfStreams() async throws {
        try await Backend.file.withSQLite { database, folder in
            let beside = try SQLiteDatabase(besideServer: folder.database)
            try await TestServer.run(database: database) { server in
                let scene = try await Scene(Village(server: server, database: database))
                let account = scene.ada.account
                let stream = try await server.live(scene.ada.session, DeviceID(UUID()))

                let isHeard = Mutex(false)
                database.onCommit = Self.holding { isHeard.withLock { $0 } }
                async let done: Void = scene.perform(.deletion)
                while try await !stream.chunk().isEmpty {}
                let accounts = try beside.readNow {
                    try $0.query("SELECT id FROM account WHERE id = ?", [.id(account)]).count
                }
                isHeard.withLock { $0 = true }
                #expect(accounts == 0)
                try await done
                database.onCommit = nil
            }
        }
    }

    @Test("A round signals others when a second connection reads what it has written") func round() async throws {
        let town = try Town(SQLiteDatabase(path: folder.database))
        let beside = try SQLiteDatabase(besideServer: folder.database)
        var ada = try town.phone()
        let list: FeedID = town.id()
        let request = ada.request([ada.create(list)])
        let found = Mutex<[Int?]>([])
        let phone = AccountDevice(request.device, of: ada.account)
        let sender = SignalSender { signals, device in
            #expect(signals.moved.contains(list) && device == phone)
            let count = try? beside.readNow { try $0.query("SELECT id FROM record WHERE feed = ?", [.id(list)]).count }
            found.withLock { $0.append(count) }
        }
        let service = SyncService(database: town.database, signals: sender)
        _ = try await service.sync(request, as: ada.account, at: town.now)
        // The list and its one member.
        #expect(found.withLock { $0 } == [2])
    }

    /// Holds each commit until the stream has told too much, or for a moment if it does not.
    private static func holding(
        until isHeard: @escaping @Sendable () -> Bool
    ) -> @Sendable (SQLiteDatabase.CommitMoment) throws -> Void {
        { moment in
            guard moment == .before else { return }
            for _ in 0..<500 where !isHeard() { usleep(1_000) }
        }
    }

    /// Reads events until one names `feed`.
    private static func hear(of feed: FeedID, on stream: Wire) async throws {
        let head = "event: moved\ndata: "
        while true {
            let text = String(decoding: try await stream.chunk(), as: UTF8.self)
            try #require(!text.isEmpty, "The stream has ended.")
            guard text.hasPrefix(head) else { continue }
            let event = try JSONDecoder().decode(FeedsMoved.self, from: Data(text.dropFirst(head.count).utf8))
            if event.feeds.contains(feed) { return }
        }
    }
}

extension CommittedSignalTests.Deed {
    /// Whether it reaches Ben as a connection of Ada's. The others reach her list.
    fileprivate var isHeardByBen: Bool { self == .profile || self == .deletion }
}

/// Ada and Ben, who are connected, a list of Ada's, and an invitation to it.
private struct Scene: Sendable {
    let village: Village
    let ada: TestDevice
    let ben: TestDevice
    let list: ListID
    let invitation: String
    let item = UUID()

    init(_ village: Village) async throws {
        self.village = village
        var ada = try await village.person()
        ben = try await village.person()
        try await village.connect(ada, ben)
        list = try await ada.makeList("Groceries", with: village.server)
        let link: ListLink = try await village.server.ask(
            "POST", "/v1/lists/\(list)/links", token: ada.session.token, json: LinkRequest(role: .editor)
        ).decoded()
        invitation = try #require(link.token)
        self.ada = ada
    }

    func perform(_ deed: CommittedSignalTests.Deed) async throws {
        let server = village.server
        var author = ada
        switch deed {
        case .edit:
            let milk = author.mutation(1, .items, item, in: list, set: ["title": "Milk", "position": "a0"])
            try #require(try await author.sync([milk], with: server).outcomes.isEmpty)
        case .joining:
            let reply = try await server.ask("POST", "/v1/links/\(invitation)/accept", token: ben.session.token)
            try #require(reply.status == 200)
        case .profile:
            try await village.set(["status": "by the sea"], of: &author)
        case .deletion:
            let reply = try await server.ask("DELETE", "/v1/account", token: author.session.token)
            try #require(reply.status == 204)
        }
    }

    /// Whether the database has what the deed has written.
    func isThere(_ deed: CommittedSignalTests.Deed, in database: SQLiteDatabase) throws -> Bool {
        let record = "SELECT id FROM record WHERE feed = ? AND id = ?"
        let (sql, values): (String, [SQLValue]) =
            switch deed {
            case .edit: (record, [.id(list), .id(RecordID<Never>(item))])
            case .joining: ("SELECT role FROM access WHERE feed = ? AND account = ?", [.id(list), .id(ben.account)])
            case .profile: ("\(record) AND fields LIKE '%by the sea%'", [.id(ben.account), .id(ada.account)])
            case .deletion:
                ("SELECT id FROM tombstone WHERE feed = ? AND id = ?", [.id(ben.account), .id(ada.account)])
            }
        return try database.readNow { try !$0.query(sql, values).isEmpty }
    }
}
