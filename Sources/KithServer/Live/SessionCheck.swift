import Foundation
package import KithModel

/// Finds which sessions have ended, by what is stored.
package enum SessionCheck {
    /// Those of `sessions` that are not stored, or whose account was deleted.
    ///
    /// The id of a session is the first half of the hash of its token, which is the key of the table: each is looked up
    /// in a range of the key.
    package static func ended(_ sessions: Set<SessionID>, in transaction: any Transaction) throws -> Set<SessionID> {
        let rows = try transaction.query(
            wanted: ["id", "low", "high"],
            sessions.sorted().map { session in
                let low = session.uuid.data
                return [.id(session), .bytes(low), .bytes(low + Data(repeating: 0xFF, count: 17))]
            },
            """
            SELECT wanted.id FROM wanted CROSS JOIN session CROSS JOIN account
            WHERE session.token_hash >= wanted.low AND session.token_hash < wanted.high
                AND account.id = session.account
            """)
        return sessions.subtracting(try rows.map { try $0.id(0) })
    }
}
