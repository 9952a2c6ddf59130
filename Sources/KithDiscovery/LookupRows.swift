import Foundation
import GRDB
import Kith
import KithModel

/// The lookups and settings of an account in the replica.
struct LookupRows {
    private let store: Store

    init(_ store: Store) { self.store = store }

    private var db: Database { store.db }
    private var account: StoreKey { store.key }

    // MARK: Lookups

    func all() throws -> [Lookup] {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT identity, discoveryKey, output, isLooked, match, handedIn FROM lookup WHERE account = ?",
            arguments: [account])
        var lookups: [Lookup] = []
        while let row = try rows.next() {
            // Skips unreadable rows. Their identities are evaluated again.
            guard let identity = Identity(row[0]), let output = DiscoveryOutput(Array(row[2] as Data)) else { continue }
            var lookup = Lookup(identity: identity, key: row[1], output: output, isLooked: row[3], match: row[4])
            lookup.handedIn = Self.time(row[5])
            lookups.append(lookup)
        }
        return lookups
    }

    /// Writes evaluated identities. A known match stays until the new key's bucket has been read.
    func save(evaluated lookups: [Lookup]) throws {
        try revise()
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO lookup (account, identity, discoveryKey, output) VALUES (?, ?, ?, ?)
                ON CONFLICT (account, identity) DO UPDATE SET discoveryKey = excluded.discoveryKey,
                    output = excluded.output, isLooked = 0
                """)
        for lookup in lookups {
            try statement.execute(
                arguments: [account, lookup.identity.text, lookup.key, Data(lookup.output.bytes)])
        }
    }

    /// Writes the results of the buckets, except for identities that were meanwhile removed or evaluated again.
    func save(looked lookups: [Lookup]) throws {
        if lookups.isEmpty { return }
        try revise()
        let statement = try db.cachedStatement(
            sql: """
                UPDATE lookup SET isLooked = ?, match = ? WHERE account = ? AND identity = ? AND discoveryKey = ?
                """)
        for lookup in lookups {
            try statement.execute(
                arguments: [lookup.isLooked, lookup.match, account, lookup.identity.text, lookup.key])
        }
    }

    func note(handedIn identities: [Identity], at time: Timestamp) throws {
        try revise()
        let statement = try db.cachedStatement(
            sql: "UPDATE lookup SET handedIn = ? WHERE account = ? AND identity = ?")
        for identity in identities {
            try statement.execute(arguments: [time.milliseconds, account, identity.text])
        }
    }

    func forget(_ identities: [Identity]) throws {
        try revise()
        let statement = try db.cachedStatement(sql: "DELETE FROM lookup WHERE account = ? AND identity = ?")
        for identity in identities { try statement.execute(arguments: [account, identity.text]) }
    }

    /// The revision of the lookups, which changes with each change of a lookup.
    func revision() throws -> Int64 {
        let statement = try db.cachedStatement(sql: "SELECT revision FROM discovery WHERE account = ?")
        return try Int64.fetchOne(statement, arguments: [account]) ?? 0
    }

    private func revise() throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO discovery (account, revision) VALUES (?, 1)
                ON CONFLICT (account) DO UPDATE SET revision = revision + 1
                """
        ).execute(arguments: [account])
    }

    // MARK: Settings

    func status() throws -> Discovery.Status {
        var status = Discovery.Status()
        let counts = try Row.fetchOne(
            db, sql: "SELECT count(*), count(match) FROM lookup WHERE account = ?", arguments: [account])
        (status.identities, status.matches) = (counts?[0] ?? 0, counts?[1] ?? 0)
        guard let row = try row() else { return status }
        status.isEnabled = row["isEnabled"]
        status.connectsAutomatically = row["connects"]
        status.lastLooked = Self.time(row["looked"])?.date
        status.retryAt = Self.time(row["retryAt"])?.date
        if let limit = row["quotaLimit"] as Int?, let used = row["quotaUsed"] as Int?,
            let resets = Self.time(row["quotaResets"])
        {
            status.quota = DailyAllowance(limit: limit, used: used, resets: resets)
        }
        return status
    }

    /// Whether the account connects automatically with the people that discovery finds.
    func connects() throws -> Bool { try row()?["connects"] ?? false }

    func situation(at now: Timestamp) throws -> DiscoveryMachine.Situation {
        var situation = DiscoveryMachine.Situation(now: now, isEnabled: false)
        guard let row = try row() else { return situation }
        situation.isEnabled = row["isEnabled"]
        situation.looked = Self.time(row["looked"])
        situation.schedule = RetrySchedule(attempt: row["attempt"], retryAt: Self.time(row["retryAt"]))
        return situation
    }

    func set(_ column: Column, _ value: (any DatabaseValueConvertible)?) throws {
        try db.execute(sql: "INSERT OR IGNORE INTO discovery (account) VALUES (?)", arguments: [account])
        try db.execute(
            sql: "UPDATE discovery SET \(column.rawValue) = ? WHERE account = ?", arguments: [value, account])
    }

    /// The columns for an account's settings and state.
    enum Column: String {
        case isEnabled, connects, readKey, readThrough, attempt, retryAt
    }

    /// The server's epoch in which the buckets were read; nil if none was read.
    func epoch() throws -> String? {
        let statement = try db.cachedStatement(sql: "SELECT epoch FROM discovery WHERE account = ?")
        return try String.fetchOne(statement, arguments: [account])
    }

    /// Begins a new epoch, in which all buckets must be read whole. This stays so if a look is interrupted between two
    /// buckets.
    func begin(_ epoch: String) throws {
        try revise()
        try db.execute(sql: "UPDATE lookup SET isLooked = 0 WHERE account = ?", arguments: [account])
        try db.execute(
            sql: "UPDATE discovery SET epoch = ?, readKey = NULL, readThrough = NULL WHERE account = ?",
            arguments: [epoch, account])
    }

    /// The sequence of a key up to which its buckets were read; nil if none was read.
    func readThrough(of key: String) throws -> Int64? {
        try Int64.fetchOne(
            db, sql: "SELECT readThrough FROM discovery WHERE account = ? AND readKey = ?", arguments: [account, key])
    }

    func save(readThrough sequence: Int64, of key: String) throws {
        try set(.readKey, key)
        try set(.readThrough, sequence)
    }

    func save(_ schedule: RetrySchedule) throws {
        try set(.attempt, schedule.attempt)
        try set(.retryAt, schedule.retryAt?.milliseconds)
    }

    /// Writes the daily quota, and the time of the look if it covered the whole address book.
    func finish(_ quota: DailyAllowance, looked: Timestamp?) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO discovery (account, quotaLimit, quotaUsed, quotaResets, looked) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (account) DO UPDATE SET quotaLimit = excluded.quotaLimit, quotaUsed = excluded.quotaUsed,
                    quotaResets = excluded.quotaResets, looked = coalesce(excluded.looked, looked),
                    attempt = CASE WHEN excluded.looked IS NULL THEN attempt ELSE 0 END,
                    retryAt = CASE WHEN excluded.looked IS NULL THEN retryAt ELSE NULL END
                """
        ).execute(
            arguments: [account, quota.limit, quota.used, quota.resets.milliseconds, looked?.milliseconds])
    }

    private func row() throws -> Row? {
        try Row.fetchOne(db, sql: "SELECT * FROM discovery WHERE account = ?", arguments: [account])
    }

    private static func time(_ milliseconds: Int64?) -> Timestamp? {
        milliseconds.map { Timestamp(milliseconds: $0) }
    }
}
