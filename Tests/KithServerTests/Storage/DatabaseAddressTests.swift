import KithModel
import KithServer
import Testing

@Suite("The address of a database") struct DatabaseAddressTests {
    @Test(
        "is shown without user, password and options",
        arguments: [
            ("/var/lib/kith/server.sqlite", "/var/lib/kith/server.sqlite"), ("a@b=c.sqlite", "a@b=c.sqlite"),
            ("postgres://kith:secret@db.example/kith", "postgres://db.example/kith"),
            ("postgresql://kith:secret@a.example:5433,b.example/kith", "postgres://a.example:5433,b.example/kith"),
            ("postgres://db.example/kith?password=secret", "postgres://db.example/kith"),
            ("postgres:///kith?host=/run/postgresql", "postgres:///kith"),
            ("postgres://kith:se@cret@db.example/kith", "postgres://…"),
            ("postgres://kith:se/cret@db.example/kith", "postgres://…"),
            ("postgres://kith:se?cret@db.example/kith", "postgres://…"),
            ("postgres://db.example/kith?password=se@cret", "postgres://…"),
        ])
    func shown(text: String, words: String) throws {
        let address = try DatabaseAddress(text)
        var dumped = ""
        dump(address, to: &dumped)
        #expect("\(address)" == words)
        for shown in ["\(address)", String(reflecting: address), dumped] {
            #expect(!shown.contains("cret"), "\(shown)")
        }
    }

    @Test(
        "of another database is refused, and not repeated",
        arguments: ["mysql://kith:secret@db", "postgres2://secret"])
    func other(text: String) {
        let error = #expect(throws: ServerError.self) { try DatabaseAddress(text) }
        #expect(error?.code == .malformed && error?.description.contains("secret") == false)
    }

    @Test(
        "Trap: libpq takes a part of a password for a host – an @, / or ? that is not escaped is refused",
        arguments: ["kith:p@ss", "kith:p/ss", "kith:p?ss"])
    func unescaped(user: String) async {
        let error = await #expect(throws: ServerError.self) {
            try await PostgresDatabase(url: "postgres://\(user)@db.example/kith")
        }
        #expect(error?.sentence.contains("%40") == true && error?.description.contains("ss@") == false)
        #expect(error?.code == .malformed)
    }

    @Test("as a URL names no file: the keys and the outbox are in the current folder") func files() throws {
        var configuration = try ServerConfiguration(flags: ["database": "postgres://kith:secret@db.example/kith"])
        #expect(configuration.discoveryKeyPath == "kith-server.discovery-key")
        #expect(configuration.outboxPath == "kith-server.outbox")
        configuration.database = "/var/lib/kith/server.sqlite"
        #expect(configuration.discoveryKeyPath == "/var/lib/kith/server.sqlite.discovery-key")
    }

    @Test("has settings beside it: connections, of which a quarter is for reads, a pooler, and what is behind it")
    func settings() throws {
        let configuration = try ServerConfiguration(flags: ["database-connections": "40", "database-pooler": "on"])
        #expect(configuration.postgres.connections == 40 && configuration.postgres.writers == 30)
        #expect(configuration.postgres.isPooled && !configuration.postgres.preparesStatements)
        let direct = try ServerConfiguration(flags: ["database-listening": "postgres://db.example/kith"])
        #expect(direct.postgres.listeningURL == "postgres://db.example/kith")
        #expect(throws: ServerError.self) { try ServerConfiguration(flags: ["database-listening": "kith.sqlite"]) }
    }

    @Test("behind a pooler needs the address at which it can be listened to") func pooled() async throws {
        var configuration = try ServerConfiguration(flags: ["database-pooler": "on"])
        // Nobody listens there.
        configuration.database = "postgres://nobody@127.0.0.1:1/nothing"
        let error = await #expect(throws: ServerError.self) { _ = try await KithServer.open(configuration) }
        #expect(error?.code == .malformed && error?.sentence.contains("--database-listening") == true)
        configuration.postgres.listeningURL = "postgres://db.example/kith?nonsense=1"
        let unreadable = await #expect(throws: ServerError.self) { _ = try await KithServer.open(configuration) }
        #expect(unreadable?.code == .malformed)
    }
}
