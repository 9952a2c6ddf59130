import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("Sessions") struct SessionServiceTests {
    let town: Town

    init() throws { town = try Town() }

    @Test("a new session has an account, a token of 256 bits, and its own feed")
    func open() async throws {
        let session = try await town.sessions.open(at: town.now)
        #expect(Data(base64URL: session.token)?.count == 32)
        #expect(session.token.count == 43)
        let description = try await town.sessions.verify(session.token)
        #expect(
            description
                == SessionDescription(
                    account: session.account, kind: "anonymous", created: town.now, server: town.database.server))
        #expect(session.server == town.database.server)
        #expect(try town.row(session.account.retyped())?.kind == .account)
        #expect(try town.role(session.account, session.account.retyped()) == .owner)
    }

    @Test("each session has a different account and token") func apart() async throws {
        let sessions = SessionService(database: town.database, signals: .none)
        let (first, second) = (try await sessions.open(at: town.now), try await sessions.open(at: town.now))
        #expect(first.account != second.account)
        #expect(first.token != second.token)
    }

    @Test("only the hash of a token is stored") func hashed() async throws {
        let session = try await town.sessions.open(at: town.now)
        let rows = try town.database.readNow { try $0.query("SELECT token_hash FROM session") }
        #expect(rows.map(\.values) == [[.bytes(Secret.sha256(session.token))]])
    }

    @Test("a closed session does not exist any more, and closing it again finds none") func close() async throws {
        let token = try await town.sessions.open(at: town.now).token
        #expect(try await town.sessions.close(token))
        #expect(try await town.sessions.verify(token) == nil)
        #expect(try await !town.sessions.close(token))
    }

    @Test("an invalid token gives no session", arguments: ["", " ", "ü", String(repeating: "A", count: 43)])
    func garbage(token: String) async throws {
        #expect(try await town.sessions.verify(token) == nil)
    }

    @Test("the synchronous call of tests opens the same session") func now() async throws {
        let session = try town.sessions.openNow(at: town.now, on: town.database)
        #expect(try await town.sessions.verify(session.token)?.account == session.account)
    }

    @Test("SHA-256 is that of FIPS 180-4, Base64url that of RFC 4648") func vectors() {
        #expect(Hex.text(Secret.sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Hex.text(Secret.sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(Data([0xFB, 0xFF]).base64URL == "-_8")
        let drawn = Mutex<[[UInt8]]>([[0xFB, 0xFF], [0xFF, 0xFB]])
        let random = RandomBytes { drawn.withLock { $0.removeFirst() } }
        #expect(random.token() == "__s")
        #expect(Data(base64URL: "-_8") == Data([0xFB, 0xFF]))
        #expect(Data(base64URL: "+/8=") == nil)
        #expect(RandomBytes.system.bytes() != RandomBytes.system.bytes())
    }

    @Test(
        "Trap: A character has any number of scalars – the name of a device is not a place for a megabyte, nor for a NUL"
    )
    func longName() async throws {
        let world = try SignInWorld()
        let ada = try await world.open()
        let family = "👨‍👩‍👧‍👦"
        try await world.sessions.name(ada.token, SessionName(device: String(repeating: family, count: 50)))
        let bomb = "e" + String(repeating: "\u{301}", count: 100_000)
        for name in [bomb, String(repeating: "e", count: 101), "a\0b"] {
            #expect(
                await errorCode { try await world.sessions.name(ada.token, SessionName(device: name)) } == .malformed)
            let request = CodeRequest(
                id: world.newID(), identity: try #require(Identity("mailto:ada@example.com")), device: name)
            #expect(
                await errorCode { try await world.send(request, by: ada) }
                    == .malformed)
        }
    }
}
