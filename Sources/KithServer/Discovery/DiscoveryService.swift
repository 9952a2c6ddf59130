package import Foundation
package import KithModel
import OPRF

/// Lets devices find which of their contacts use the service, without learning the other contacts.
///
/// Requests are neither logged nor stored. Only the number of evaluations is counted, per account and day.
package final class DiscoveryService: Sendable {
    private let database: any Database
    private let keys: DiscoveryKeys
    private let quota: DailyQuota
    private let tables: BucketTables
    private let filters = TagFilters()
    /// The number of elements that are evaluated at once.
    private static let part = 32

    /// A service over `database`, with the secrets in `keys`.
    package init(database: any Database, keys: DiscoveryKeys, evaluationsADay: Int = 20_000) {
        (self.database, self.keys) = (database, keys)
        quota = DailyQuota(kind: "evaluation", noun: "numbers and emails", limit: evaluationsADay)
        tables = BucketTables(database)
    }

    /// The served keys, and the rest of the account's daily quota.
    package func describe(for account: AccountID, at now: Timestamp) async throws -> DiscoveryDescription {
        let secrets = try keys.all()
        if try await database.read({ try KeyRow.all(in: $0).isEmpty }) {
            try await database.write { try KeyRow.insertMissing(secrets, at: now, in: $0) }
        }
        let (epoch, rows, allowance) = try await database.read { [quota] transaction in
            (
                try Meta.epoch(in: transaction),
                try KeyRow.all(in: transaction).filter { $0.isServed(at: now) },
                try quota.allowance(of: .account(account), at: now, in: transaction)
            )
        }
        tables.keep(Set(rows.map(\.id)))
        filters.keep(Set(rows.map(\.id)))
        var description = DiscoveryDescription(epoch: epoch, keys: [], quota: allowance)
        for row in rows where secrets.contains(where: { $0.id == row.id }) {
            let table = try await tables.table(of: row.id, through: row.sequence)
            description.keys.append(
                DiscoveryDescription.Key(
                    id: row.id, since: row.currentSince ?? now, until: row.ends, bits: table.bits,
                    sequence: table.sequence, identities: table.hasFilter ? table.count : nil))
        }
        guard !description.keys.isEmpty else {
            throw ServerError(
                .busy, "Discovery is being made ready. Try again in a minute.", retryAfter: .seconds(60))
        }
        return description
    }

    /// Evaluates blinded elements, and subtracts them from the account's daily quota.
    ///
    /// All of them together would take a tenth of a second, so they are evaluated in parts, and each part
    /// waits in the queue.
    package func evaluate(
        _ request: EvaluationRequest, by account: AccountID, at now: Timestamp, scheduler: some WorkScheduler = AtOnce()
    ) async throws -> EvaluationAnswer {
        guard request.elements.count <= Limits.evaluations else {
            throw ServerError(
                .tooMany, "There are more than \(Limits.evaluations) elements. Send fewer at once.", path: "$.elements")
        }
        let key = try await served(request.key, at: now).key
        let elements = try await scheduler.run(request.elements.count / 4, goesOn: false) {
            try request.elements.enumerated().map { index, text in
                guard let bytes = Data(base64URL: text).map(Array.init), key.secret.accepts(bytes) else {
                    throw ServerError(
                        .malformed,
                        "There is no element of ristretto255: 32 bytes in Base64url, and not the identity.",
                        path: "$.elements[\(index)]")
                }
                return bytes
            }
        }
        let allowance = try await database.write { [quota] transaction in
            try quota.take(elements.count, by: .account(account), at: now, in: transaction)
        }
        var answer = EvaluationAnswer(elements: [], quota: allowance)
        for start in stride(from: 0, to: elements.count, by: Self.part) {
            let part = elements[start..<min(start + Self.part, elements.count)]
            answer.elements += try await scheduler.run(WorkUnits.evaluations(part.count), goesOn: true) {
                part.map { Data(key.secret.evaluate($0) ?? []).base64URL }
            }
        }
        return answer
    }

    /// Reads buckets.
    package func look(_ request: BucketRequest, at now: Timestamp) async throws -> BucketAnswer {
        guard request.prefixes.count <= Limits.buckets else {
            throw ServerError(
                .tooMany, "There are more than \(Limits.buckets) prefixes. Send fewer at once.", path: "$.prefixes")
        }
        let (key, row, epoch) = try await served(request.key, at: now)
        let table = try await tables.table(of: key.id, through: row.sequence)
        try Self.check(request, for: table)
        // Changes cannot show purged entries as removed. Sequences from before a restore may belong to other entries.
        let since = request.since.flatMap {
            request.epoch == epoch && $0 >= row.horizon && $0 <= table.sequence ? $0 : nil
        }
        return Self.answer(to: request, from: table, since: since, padding: Padding(key.secret))
    }

    /// Checks the bits, the prefixes and the sequence of a request.
    private static func check(_ request: BucketRequest, for table: BucketTable) throws(ServerError) {
        guard (0...Limits.bucketBits).contains(request.bits) else {
            throw ServerError(.malformed, "The bits of a prefix are 0 to \(Limits.bucketBits).", path: "$.bits")
        }
        // Fewer bits would return a larger part of the register than is necessary to hide an identity.
        guard request.bits <= table.bits, request.bits >= table.bits - Limits.bucketGrowth else {
            throw ServerError(
                .conflict, "A prefix has \(table.bits) bits now. Ask for the description again.", path: "$.bits")
        }
        guard Set(request.prefixes).count == request.prefixes.count else {
            throw ServerError(.malformed, "A prefix is named twice.", path: "$.prefixes")
        }
        for (index, prefix) in request.prefixes.enumerated() where prefix >> UInt32(request.bits) != 0 {
            throw ServerError(
                .malformed, "The prefix has more than \(request.bits) bits.", path: "$.prefixes[\(index)]")
        }
        if let since = request.since, since < 0 {
            throw ServerError(.malformed, "A sequence is 0 or more.", path: "$.since")
        }
    }

    /// The buckets of an answer, or their changes after the sequence `since`, as far as they fit.
    private static func answer(
        to request: BucketRequest, from table: BucketTable, since: Int64?, padding: Padding
    ) -> BucketAnswer {
        // All buckets of an answer have the same form as the first. The device asks for the other buckets again.
        func changes(_ prefix: UInt32) -> Bool { since != nil && !table.isPadded(prefix, bits: request.bits) }
        let isChanges = request.prefixes.first.map(changes) ?? (since != nil)
        var answer = BucketAnswer(
            sequence: table.sequence, isChanges: isChanges, isCompact: request.isCompact ?? false, bits: request.bits,
            buckets: [])
        let entrySize = answer.isCompact ? BucketAnswer.Entry.compactSize : BucketAnswer.Entry.size
        var size = 0
        for prefix in request.prefixes where size < Limits.pageBytes && changes(prefix) == isChanges {
            let bucket =
                isChanges
                ? table.changes(prefix, bits: request.bits, since: since ?? 0)
                : table.whole(prefix, bits: request.bits, padding: padding)
            size += bucket.entries.count * entrySize + bucket.gone.count * 8
            answer.buckets.append(bucket)
        }
        return answer
    }

    /// The encoded ``TagFilter`` of a key.
    package func filter(of id: String, at now: Timestamp) async throws -> Data {
        let (key, row, _) = try await served(id, at: now, path: "?key")
        let table = try await tables.table(of: key.id, through: row.sequence)
        guard table.hasFilter else {
            throw ServerError(.conflict, "The key has no filter now. Ask for the description again.", path: "?key")
        }
        return await filters.filter(of: key.id, from: table, padding: Padding(key.secret), at: now)
    }

    /// Reads the tables of all keys in advance, so that the first request does not wait for it.
    package func prepare(at now: Timestamp) async throws {
        for row in try await database.read({ try KeyRow.all(in: $0) }) where row.isServed(at: now) {
            _ = try await tables.table(of: row.id, through: row.sequence)
        }
    }

    /// The key of this name, if it is served, and the epoch.
    private func served(
        _ id: String, at now: Timestamp, path: String = "$.key"
    ) async throws -> (key: DiscoveryKey, row: KeyRow, epoch: String) {
        let (row, epoch) = try await database.read { transaction in
            (try KeyRow.all(in: transaction).first { $0.id == id }, try Meta.epoch(in: transaction))
        }
        guard let row, row.isServed(at: now), let key = try keys.all().first(where: { $0.id == id }) else {
            throw ServerError.keyExpired(path: path)
        }
        return (key, row, epoch)
    }
}
