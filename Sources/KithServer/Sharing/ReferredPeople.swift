import Foundation
import KithModel

/// The people who were referred in a programme, by keyed hashes of their mailboxes, numbers and identities at issuers: the
/// table `referred`. So nobody is referred twice, even with a new account or with another tag of a mailbox.
struct ReferredPeople {
    let transaction: any Transaction
    let programme: String
    /// Creates the key of the hashes, if there is none.
    let random: RandomBytes

    private static let keyName = "sharingKey"

    /// Stores that an account was referred.
    func add(_ account: AccountID) throws {
        for person in try people(account) {
            try transaction.execute(
                """
                INSERT INTO referred (programme, person, account) VALUES (?, ?, ?)
                ON CONFLICT (programme, person) DO NOTHING
                """, [.text(programme), .bytes(person), .id(account)])
        }
    }

    /// Stores the new identities of an account, in each programme in which it was referred.
    static func update(
        _ account: AccountID, random: RandomBytes, in transaction: any Transaction
    ) throws {
        let programmes = try transaction.query(
            "SELECT programme FROM attribution WHERE account = ? ORDER BY programme", [.id(account)])
        for row in programmes {
            try ReferredPeople(transaction: transaction, programme: try row.text(0), random: random).add(account)
        }
    }

    /// Whether the person with an account was referred with another account before.
    func isKnown(_ account: AccountID) throws -> Bool {
        let people = try people(account)
        return try !transaction.query(
            wanted: ["person"], people.map { [.bytes($0)] },
            """
            SELECT referred.person FROM wanted CROSS JOIN referred
            WHERE referred.programme = ? AND referred.person = wanted.person AND referred.account <> ? LIMIT 1
            """, [.text(programme), .id(account)]
        ).isEmpty
    }

    private func people(_ account: AccountID) throws -> [Data] {
        let key = try Meta.findOrCreateKey(Self.keyName, random, in: transaction)
        let identities = try transaction.query("SELECT value FROM identity WHERE account = ?", [.id(account)])
            .compactMap { Identity(try $0.text(0)) }
        let subjects = try transaction.query(
            "SELECT issuer, subject FROM issuer_identity WHERE account = ?", [.id(account)]
        ).map { row in try row.text(0) + "\0" + row.text(1) }
        let names = ReferralFacts.folded(Set(identities)).union(subjects)
        return names.sorted().map { Secret.hmac("referred\0\($0)", key: key) }
    }
}
