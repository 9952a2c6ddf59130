import Foundation
import KithModel
import KithServer
import Testing

@Suite("The operators of a server") struct OperatorServiceTests {
    private let database: SQLiteDatabase
    private let service: OperatorService
    private let ada: OperatorName
    private let noon = Timestamp(milliseconds: 1_800_000_000_000)

    init() throws {
        database = try .inMemory()
        service = OperatorService(database: database, random: RandomBytes(seed: 3))
        ada = try #require(OperatorName("ada"))
    }

    private func signIn(
        _ password: String, as name: String = "ada", from network: String = "192.0.2.0", at time: Timestamp? = nil
    ) async throws -> String? {
        try await service.signIn(name, password: password, from: ClientNetwork(network), at: time ?? noon)
    }

    /// All texts and bytes of the operators' tables.
    private func stored() throws -> String {
        try database.readNow { transaction in
            try ["operator", "operator_session"].map { table in
                String(describing: try transaction.query("SELECT * FROM \(table)"))
            }.joined()
        }
    }

    @Test("sign in with the password that the server has made, in upper or lower case, with or without hyphens")
    func signsIn() async throws {
        let password = try await service.add(ada, at: noon)
        #expect(password.wholeMatch(of: /([0-9A-Z]{5}-){3}[0-9A-Z]{5}/) != nil)
        for typed in [password, password.lowercased(), password.replacing("-", with: ""), " \(password) "] {
            let token = try #require(try await signIn(typed, as: "ADA"))
            #expect(try await service.find(token, at: noon) == ada)
        }
        let wrong = password.replacing(password.prefix(1), with: password.hasPrefix("7") ? "8" : "7")
        #expect(try await signIn(wrong) == nil)
        #expect(try await signIn(password, as: "ben") == nil)
        #expect(try await signIn("", as: "") == nil)
        #expect(try await service.list().map(\.name) == [ada])
    }

    @Test("are stored without their passwords and tokens") func secrets() async throws {
        let password = try await service.add(ada, at: noon)
        let token = try #require(try await signIn(password))
        let stored = try stored()
        #expect(stored.contains("$argon2id$"))
        for secret in [password, password.replacing("-", with: ""), token] { #expect(!stored.contains(secret)) }
    }

    @Test("stay signed in for 12 hours, until they sign out, get a new password, or are removed")
    func sessions() async throws {
        let password = try await service.add(ada, at: noon)
        let (first, second) = (try await signIn(password) ?? "", try await signIn(password) ?? "")
        #expect(first != second)
        #expect(try await service.find(first, at: noon + .seconds(12 * 3_600 - 1)) == ada)
        #expect(try await service.find(first, at: noon + .seconds(12 * 3_600)) == nil)
        try await service.signOut(first)
        #expect(try await service.find(first, at: noon) == nil)
        #expect(try await service.find(second, at: noon) == ada)

        let other = try await service.renewPassword(of: ada, at: noon)
        #expect(try await service.find(second, at: noon) == nil)
        #expect(try await signIn(password) == nil)
        let third = try #require(try await signIn(other))
        try await service.remove(ada)
        #expect(try await service.find(third, at: noon) == nil)
        #expect(try await signIn(other) == nil)
        #expect(try await service.list().isEmpty)
    }

    @Test("have twenty sessions at most: a further one ends the oldest") func manySessions() async throws {
        let password = try await service.add(ada, at: noon)
        var tokens: [String] = []
        for second in 0...20 { tokens.append(try await signIn(password, at: noon + .seconds(second)) ?? "") }
        #expect(try await service.find(tokens[0], at: noon) == nil)
        for token in tokens[1...] { #expect(try await service.find(token, at: noon) == ada) }
    }

    @Test("have names of their own") func names() async throws {
        _ = try await service.add(ada, at: noon)
        let again = await #expect(throws: ServerError.self) { try await service.add(ada, at: noon) }
        #expect(again?.code == .conflict && again?.sentence.contains("kith admin operator password ada") == true)
        let ben = try #require(OperatorName("ben"))
        let removed = await #expect(throws: ServerError.self) { try await service.remove(ben) }
        let renewed = await #expect(throws: ServerError.self) { try await service.renewPassword(of: ben, at: noon) }
        #expect(removed?.code == .notFound && renewed?.code == .notFound)
        for name in ["", "-ada", "ada lovelace", "ädä", String(repeating: "a", count: 33), "a_b"] {
            #expect(OperatorName(name) == nil, "\(name)")
        }
        #expect(OperatorName("Ada.King-1")?.text == "ada.king-1")
    }

    @Test("Trap: guessing – fifty attempts a day from one network are answered, whoever is named")
    func network() async throws {
        let password = try await service.add(ada, at: noon)
        // An attempt that cannot be right costs nothing. The others are written as attempts, without their hashes.
        #expect(try await signIn("guess") == nil)
        try take(50, of: "192.0.2.0")
        let error = await #expect(throws: ServerError.self) { try await signIn(password, as: "ben") }
        #expect(error?.code == .quotaExceeded && error?.retryAfter != nil)
        #expect(try await signIn(password, from: "198.51.100.0") != nil)
        #expect(try await signIn(password, at: noon + .days(1)) != nil)
    }

    @Test("Trap: locking out – nobody uses up the attempts of an operator by knowing the name")
    func lockingOut() async throws {
        let password = try await service.add(ada, at: noon)
        // Each network has used up its day's attempts with the name of Ada.
        for number in 0..<20 { try take(50, of: "192.0.\(number).0") }
        try take(1_000, of: nil)
        let own = "198.51.100.0"
        #expect(try await signIn(password, from: own) != nil)
        // Then a network that is new has five attempts a day.
        for _ in 1...4 { #expect(try await signIn(password, as: "ben", from: own) == nil) }
        let error = await #expect(throws: ServerError.self) { try await signIn(password, from: own) }
        #expect(error?.code == .quotaExceeded && error?.retryAfter != nil)
        #expect(try await signIn(password, from: "203.0.113.0") != nil)
        #expect(try await signIn(password, from: own, at: noon + .days(1)) != nil)
    }

    @Test("Each attempt counts for its network and for all networks together, also one that succeeds")
    func counting() async throws {
        let password = try await service.add(ada, at: noon)
        #expect(try await signIn(password) != nil)
        #expect(try await signIn(password, as: "ben", from: "198.51.100.0") == nil)
        #expect(try used(by: "192.0.2.0") == 1)
        #expect(try used(by: "198.51.100.0") == 1)
        #expect(try used(by: nil) == 2)
    }

    /// Stands for a network, or for all of them, in the table of quotas.
    private func subject(_ network: String?) throws -> DailyQuota.Subject {
        guard let network else { return .everybody }
        return try database.writeNow { transaction in
            let secret = try MessageSecret(in: transaction, random: RandomBytes(seed: 4))
            return .network(secret.hash(of: ClientNetwork(network)))
        }
    }

    /// Counts attempts from a network, or from all of them, as if they had been made.
    private func take(_ count: Int, of network: String?) throws {
        let subject = try subject(network)
        try database.writeNow { transaction in
            _ = try DailyQuota(kind: "operatorSignIns", noun: "", limit: count).take(
                count, by: subject, at: noon, in: transaction)
        }
    }

    /// The attempts that are counted for a network, or for all of them.
    private func used(by network: String?) throws -> Int {
        let subject = try subject(network)
        return try database.readNow { transaction in
            let quota = DailyQuota(kind: "operatorSignIns", noun: "", limit: 1)
            return try quota.allowance(of: subject, at: noon, in: transaction).used
        }
    }

    @Test("Sessions that have ended are deleted by the housekeeping") func housekeeping() async throws {
        let password = try await service.add(ada, at: noon)
        _ = try await signIn(password)
        let housekeeping = Housekeeping(database: database, signals: .none)
        try await housekeeping.purge(noon + .seconds(3_600))
        #expect(try count() == 1)
        try await housekeeping.purge(noon + .days(1))
        #expect(try count() == 0)
    }

    private func count() throws -> Int64? {
        try database.readNow { try $0.query("SELECT count(*) FROM operator_session").first?.integer(0) }
    }
}
