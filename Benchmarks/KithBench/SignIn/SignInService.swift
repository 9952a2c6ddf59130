import Foundation
import KithModel
import KithServer

/// The server's part that signs in, over a database in memory with registered emails.
final class SignInService {
    /// The number of emails that have an account. As many have none.
    let pairs: Int
    private let database: SQLiteDatabase
    private let codes: CodeService
    private let sessions: SessionService
    private var now = Timestamp(milliseconds: 1_790_000_000_000)

    /// A service with `pairs` accounts that have an email each.
    init(pairs: Int) async throws {
        self.pairs = pairs
        database = try SQLiteDatabase.inMemory()
        var messages = MessageLimits()
        messages.inAll = .max
        let queue = MessageQueue(
            composer: MessageComposer(templates: try MessageTemplates(), service: "Kith", language: "en"),
            limits: messages, address: { "https://kith.example" })
        var settings = SignInSettings()
        // All requests come from one network within minutes, which the limits of a real server refuse.
        (settings.limits.ofNetwork, settings.limits.inAll) = (.max, .max)
        let keys = DiscoveryKeys()
        codes = CodeService(
            database: database, messages: queue, discoveryKeys: keys, signals: .none, settings: settings)
        sessions = SessionService(database: database, signals: .none)
        let register = IdentityRegister(keys: keys, at: now)
        for number in 0..<pairs {
            let account = try await sessions.open(at: now).account
            let identity = Self.identity(number, isKnown: true)
            try await database.write { transaction in
                _ = try register.add(identity, to: account, in: transaction)
                try transaction.execute("UPDATE account SET kind = 'identified' WHERE id = ?", [.id(account)])
            }
        }
    }

    /// The known and the unknown email of a pair. They have the same length.
    private static func identity(_ number: Int, isKnown: Bool) -> Identity {
        let address = "\(isKnown ? "known" : "other")\(String(format: "%05d", number))@example.com"
        guard let identity = Identity("mailto:\(address)") else { preconditionFailure("\(address) is an email.") }
        return identity
    }

    func pass(_ time: Duration) { now = now + time }

    /// A new session that asks.
    func newSession() async throws -> NewSession { try await sessions.open(at: now) }

    private func requester(_ session: NewSession) -> Requester {
        guard let address = IPAddress("203.0.113.7") else { preconditionFailure("203.0.113.7 is an address.") }
        return Requester(.session(session.account), token: session.token, address: address)
    }

    /// Requests a code for an email of a pair.
    func send(_ number: Int, _ isKnown: Bool, by session: NewSession) async throws -> SignInAnswer {
        let request = CodeRequest(
            id: CodeID(UUID()), identity: Self.identity(number, isKnown: isKnown), languages: ["en"], device: "phone")
        return try await answer(to: request.id) {
            try await codes.send(request, by: requester(session), for: session.account, at: now)
        }
    }

    /// Checks a code.
    func check(_ code: String, of id: CodeID, by session: NewSession) async throws -> SignInAnswer {
        try await answer(to: id) { try await codes.check(code, of: id, by: requester(session), at: now) }
    }

    private func answer(to id: CodeID, _ body: () async throws -> some Encodable) async throws -> SignInAnswer {
        do {
            return SignInAnswer(id: id, bytes: try JSONEncoder().encode(try await body()).count, meaning: "200")
        } catch let error as ServerError {
            let problem = Problem(error, id: "0")
            let wait = problem.retryAfter.map { ", again after \($0) s" } ?? ""
            return SignInAnswer(
                id: id, bytes: try JSONEncoder().encode(problem).count,
                meaning: "\(problem.status) \(problem.code)\(wait)")
        }
    }
}
