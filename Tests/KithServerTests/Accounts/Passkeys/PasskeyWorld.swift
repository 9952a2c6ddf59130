#if canImport(FIDO)
    import FIDO
    import Foundation
    import KithModel
    import KithServer
    import Testing

    /// A database in memory with the services for passkeys, and a clock that tests move.
    struct PasskeyWorld {
        static let home = IPAddress("203.0.113.7")!
        static let elsewhere = IPAddress("198.51.100.9")!

        let database: SQLiteDatabase
        let clock = HandClock()
        let passkeys: PasskeyService
        let sessions: SessionService
        let signals = SignalLog()
        private let random: RandomBytes
        private let settings: PasskeySettings
        private let queue: MessageQueue

        init(verifies: Bool = true, _ change: (inout PasskeySettings) -> Void = { _ in }) throws {
            random = RandomBytes(seed: 12)
            database = try SQLiteDatabase.inMemory(random: random)
            var settings = PasskeySettings()
            change(&settings)
            self.settings = settings
            queue = MessageQueue(
                composer: try MessageComposer(MessageSettings()), address: { SoftAuthenticator.origin },
                random: random)
            passkeys = PasskeyService(
                database: database, verifier: verifies ? FIDOVerifier() : nil, settings: settings, messages: queue,
                service: "Kith",
                address: { SoftAuthenticator.origin }, signals: signals.sender, random: random)
            sessions = SessionService(database: database, signals: .none, random: random)
        }

        /// The service over the same database, with another verifier.
        func passkeys(_ verifier: any PasskeyVerifier) -> PasskeyService {
            PasskeyService(
                database: database, verifier: verifier, settings: settings, messages: queue, service: "Kith",
                address: { SoftAuthenticator.origin }, signals: signals.sender, random: random)
        }

        var now: Timestamp { HandClock.start + clock.now }

        func open() async throws -> NewSession { try await sessions.open(at: now) }

        func beginAdding(_ session: NewSession, named name: String? = "Phone") async throws -> PasskeyRegistration {
            try await passkeys.beginAdding(
                PasskeyCeremonyRequest(name: name), to: session.account, token: session.token, from: Self.home, at: now)
        }

        func beginSignIn(from client: IPAddress = home) async throws -> PasskeySignIn {
            try await passkeys.beginSignIn(PasskeyCeremonyRequest(name: "Tablet"), from: client, at: now)
        }

        /// Adds a passkey to the account of a session.
        @discardableResult func add(_ device: SoftAuthenticator, to session: NewSession) async throws -> Passkey {
            let begun = try await beginAdding(session)
            return try await passkeys.finishAdding(
                begun.id, device.create(begun.options), token: session.token, at: now)
        }

        func kind(_ session: NewSession) async throws -> String? { try await sessions.verify(session.token)?.kind }

        func ticket(_ page: String?) throws -> String {
            try #require(page?.split(separator: "#").last.map(String.init))
        }

        func count(_ table: String) async throws -> Int64 {
            try await database.read { try $0.query("SELECT count(*) FROM \(table)").first?.integer(0) ?? -1 }
        }
    }
#endif
