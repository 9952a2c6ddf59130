import Foundation
import KithModel
import KithServer
import OPRF
import Testing

/// A service of discovery in memory, and a client of it that does all by hand.
final class Seeker: Sendable {
    let database: any Database
    let keys: DiscoveryKeys
    let service: DiscoveryService
    let account: AccountID
    /// Noon on some day.
    static let noon = Timestamp(milliseconds: 1_800_014_400_000)

    init(
        _ database: (any Database)? = nil, keys: DiscoveryKeys = DiscoveryKeys(),
        evaluationsADay: Int = 20_000
    ) async throws {
        let database = try database ?? SQLiteDatabase.inMemory(random: RandomBytes(seed: 1))
        (self.database, self.keys) = (database, keys)
        service = DiscoveryService(database: database, keys: keys, evaluationsADay: evaluationsADay)
        account = try await SessionService(database: database, signals: .none).open(at: Self.noon).account
    }

    /// Another account.
    func newAccount() async throws -> AccountID {
        try await SessionService(database: database, signals: .none).open(at: Self.noon).account
    }

    /// Changes the register.
    @discardableResult
    func change<T: Sendable>(
        at now: Timestamp = noon, _ body: @escaping @Sendable (IdentityRegister, any Transaction) throws -> T
    ) async throws -> T {
        let register = IdentityRegister(keys: keys, at: now)
        return try await database.write { try body(register, $0) }
    }

    /// Registers an identity for an account, a new one if none is given.
    @discardableResult
    func register(_ text: String, of account: AccountID? = nil, at now: Timestamp = noon) async throws -> AccountID {
        let account = if let account { account } else { try await newAccount() }
        let identity = try #require(Identity(text))
        try await change(at: now) { _ = try $0.add(identity, to: account, in: $1) }
        return account
    }

    /// The output of an identity under a key, evaluated by the server.
    func output(of text: String, key: String, at now: Timestamp = noon) async throws -> DiscoveryOutput {
        let blinded = try RistrettoPRF().blind([Array(text.utf8)])
        let answer = try await service.evaluate(
            EvaluationRequest(key: key, elements: blinded.map { Data($0.element).base64URL }), by: account, at: now)
        let evaluated = try answer.elements.map { Array(try #require(Data(base64URL: $0))) }
        return try #require(
            try RistrettoPRF().finalize(blinded, evaluated: evaluated).first.flatMap { DiscoveryOutput($0) })
    }

    /// A bucket, with the bits that the description names.
    func bucket(
        of output: DiscoveryOutput, since: Int64? = nil, key: String? = nil, at now: Timestamp = noon
    ) async throws -> (answer: BucketAnswer, bucket: BucketAnswer.Bucket) {
        let description = try await service.describe(for: account, at: now)
        let chosen = try #require(description.keys.first { key == nil || $0.id == key })
        let request = BucketRequest(
            key: chosen.id, bits: chosen.bits, prefixes: [output.bucket(chosen.bits)], since: since,
            epoch: description.epoch)
        let answer = try await service.look(request, at: now)
        return (answer, try #require(answer.buckets.first))
    }

    /// The account with this identity, found as a client does; nil if there is none.
    func find(_ text: String, key: String? = nil, at now: Timestamp = noon) async throws -> AccountID? {
        let keys = try await service.describe(for: account, at: now).keys
        let chosen = try #require(keys.first { key == nil || $0.id == key })
        let output = try await output(of: text, key: chosen.id, at: now)
        let found = try await bucket(of: output, key: chosen.id, at: now).bucket.entries.filter { $0.tag == output.tag }
        #expect(found.count < 2)
        return found.first.map { output.unmasked($0.account) }
    }

    /// Registers this many people, who are in nobody's address book.
    func crowd(_ count: Int, seed: UInt64 = 7) async throws {
        let key = try #require(try await service.describe(for: account, at: Self.noon).keys.first)
        try await database.crowd(count, under: key.id, at: Self.noon, seed: seed)
    }

    /// Does what a server does in the background.
    func keepUp(at now: Timestamp = noon, step: Int = 500, givingUp givenUp: Set<String>? = nil) async throws {
        try await DiscoveryUpkeep(database: database, keys: keys, step: step).run(at: now, givingUp: givenUp)
    }

    /// The rows of a table, as one text: to see what is left.
    func dump(_ table: String) async throws -> [SQLRow] {
        try await database.read { try $0.query("SELECT * FROM \(table)") }
    }
}

/// What a refused call was refused with.
func refusal<T>(_ body: () async throws -> T) async -> ServerError? {
    do {
        _ = try await body()
        return nil
    } catch { return error as? ServerError }
}

extension Database {
    /// Writes so many entries that nobody knows under a key, as if so many had joined.
    func crowd(_ count: Int, under key: String, at now: Timestamp, seed: UInt64 = 7) async throws {
        try await write { transaction in
            var random = SplitMix64(seed: seed)
            let first = try transaction.query("SELECT sequence FROM discovery_key").first?.integer(0) ?? 0
            try transaction.insert(
                into: "evaluation", ["discovery_key", "prefix", "tag", "masked", "sequence", "changed", "gone"],
                (0..<count).map { index in
                    [
                        .text(key), .integer(Int64(bitPattern: random.next())),
                        .integer(Int64(bitPattern: random.next())),
                        .bytes(UUID().uuidBytes), .integer(first + Int64(index) + 1), .time(now), .flag(false),
                    ]
                })
            try transaction.execute("UPDATE discovery_key SET sequence = sequence + ?", [.integer(Int64(count))])
        }
    }
}

extension UUID {
    fileprivate var uuidBytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }
}
