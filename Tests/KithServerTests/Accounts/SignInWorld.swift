import Foundation
import KithModel
import KithServer
import Testing

/// A database with the services for signing in, and a clock that tests move. The database is in memory, or given.
struct SignInWorld {
    let database: any ImmediateDatabase
    let clock = HandClock()
    let codes: CodeService
    let sessions: SessionService
    let identities: IdentityService
    let recovery: RecoveryService
    let pairings: PairingService
    let queue: MessageQueue
    let keys = DiscoveryKeys()
    let signals = SignalLog()
    private let random: RandomBytes

    /// A world. It sends codes by SMS if `phone` names countries.
    init(
        database: (any ImmediateDatabase)? = nil, phone: PhoneSettings? = nil, seed: UInt64 = 11,
        _ change: (inout SignInSettings) -> Void = { _ in }
    ) throws {
        let random = RandomBytes(seed: seed)
        self.random = random
        self.database = try database ?? SQLiteDatabase.inMemory(random: random)
        var settings = SignInSettings()
        change(&settings)
        let sms =
            try phone.map { try SMSGuard($0, hasGateway: true, lifetime: settings.limits.lifetime) } ?? .off
        let queue = MessageQueue(
            composer: try MessageComposer(MessageSettings()), address: { "https://kith.example" },
            sms: phone == nil ? nil : sms, random: random)
        self.queue = queue
        codes = CodeService(
            database: self.database, messages: queue, discoveryKeys: keys, signals: signals.sender, settings: settings,
            sms: sms, random: random)
        sessions = SessionService(database: self.database, signals: .none, random: random)
        recovery = RecoveryService(
            database: self.database, messages: queue, signals: signals.sender, settings: settings,
            random: random)
        identities = IdentityService(
            database: self.database, messages: queue, discoveryKeys: keys, signals: signals.sender,
            ways: WaysIn(settings, sendsSMS: sms.reaches), random: random)
        pairings = PairingService(
            database: self.database, messages: queue, signals: signals.sender, random: random)
    }

    var now: Timestamp { HandClock.start + clock.now }

    func open() async throws -> NewSession { try await sessions.open(at: now) }

    func requester(_ session: NewSession, from address: String = "203.0.113.7") -> Requester {
        Requester(.session(session.account), token: session.token, address: IPAddress(address)!)
    }

    func newID() -> CodeID { CodeID(UUID(bytes: random.bytes(16))!) }

    /// Requests a code for an email or a number.
    @discardableResult func request(
        _ email: String, by session: NewSession, from address: String = "203.0.113.7", id: CodeID? = nil,
        replacing old: Identity? = nil
    ) async throws -> SentCode {
        let identity = Identity("tel:\(email)") ?? Identity("mailto:\(email)")
        let request = CodeRequest(
            id: id ?? newID(), identity: try #require(identity), replaces: old, device: "Ada’s phone")
        return try await send(request, by: session, from: address)
    }

    @discardableResult func send(
        _ request: CodeRequest, by session: NewSession, from address: String = "203.0.113.7", at time: Timestamp? = nil
    ) async throws -> SentCode {
        try await codes.send(
            request, by: requester(session, from: address), for: session.account, at: time ?? now)
    }

    /// Makes a pairing of the account of a session.
    func pair(_ session: NewSession) async throws -> Pairing {
        try await pairings.make(
            for: session.account, by: requester(session), address: "https://kith.example", at: now)
    }

    func check(_ code: String, of sent: SentCode, by session: NewSession) async throws -> ProvedIdentity {
        try await codes.check(code, of: sent.id, by: requester(session), at: now)
    }

    /// The code in the message that was queued for a request.
    func code(of sent: SentCode) async throws -> String {
        let texts = try await database.read { transaction in
            try transaction.query("SELECT body FROM message WHERE id = ?", [.id(sent.id)]).map { try $0.text(0) }
        }
        return try #require(texts.first?.firstMatch(of: #/\b\d{6}\b/#).map { String($0.0) })
    }

    /// Another code than the right one: a different one for each digit.
    func wrongCode(of sent: SentCode, _ digit: Int = 0) async throws -> String {
        let (right, wrong) = (try await code(of: sent), "00000\(digit)")
        return right == wrong ? "00001\(digit)" : wrong
    }

    /// Requests a code and checks it.
    func signIn(_ email: String, by session: NewSession) async throws -> ProvedIdentity {
        let sent = try await request(email, by: session)
        return try await check(try await code(of: sent), of: sent, by: session)
    }

    func remove(_ identity: Identity, of session: NewSession, evenLast: Bool) async throws {
        try await identities.remove(
            identity, of: session.account, evenLast: evenLast, from: "203.0.113.7", at: now)
    }

    /// The recipients of the queued messages of a kind.
    func recipients(of kind: MessageKind) async throws -> [String] {
        try await database.read { transaction in
            try transaction.query(
                "SELECT recipient FROM message WHERE kind = ? ORDER BY id", [.text(kind.rawValue)]
            ).map { try $0.text(0) }
        }
    }

    /// The queued messages of a kind.
    func messages(of kind: MessageKind) async throws -> [(to: String, language: String, text: String)] {
        try await database.read { transaction in
            try transaction.query(
                "SELECT recipient, language, body FROM message WHERE kind = ? AND state = 'queued' ORDER BY id",
                [.text(kind.rawValue)]
            ).map { (to: try $0.text(0), language: try $0.text(1), text: try $0.text(2)) }
        }
    }

    /// Sets the language of the profile of an account.
    func setLanguage(_ language: String, of session: NewSession) async throws {
        let (now, account) = (now, session.account)
        try await database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO record (feed, id, collection, sequence, modified, fields, stamps, deleted)
                VALUES (?, ?, 'profile', 1, ?, ?, '{"":[0,0,0]}', 0)
                """,
                [
                    .id(account), .id(Profile.id), .time(now),
                    .text(StoredText.text(["language": .text(language)])),
                ])
        }
    }

    func count(_ table: String) async throws -> Int64 {
        try await database.read { try $0.query("SELECT count(*) FROM \(table)").first?.integer(0) ?? -1 }
    }
}

/// The code of the error that `body` throws.
func errorCode(_ body: () async throws -> some Any) async -> Problem.Code? {
    do {
        _ = try await body()
        return nil
    } catch { return (error as? ServerError)?.code }
}
