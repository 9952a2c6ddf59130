import Foundation
import KithModel

/// The events of accounts that nobody has brought to their programmes yet: rows of the table `sharing_work`.
///
/// Such an event is remembered once for each account, programme and name, because each event is decided once. It is decided
/// as soon as somebody has brought the account. It is forgotten after the programme's window, which begins when the server
/// gets the event, or when no code of the account can count any more. The background job then deletes the row.
struct EarlyEvents {
    let transaction: any Transaction
    let now: Timestamp

    private static let kind = SQLValue.text(SharingOrder.Kind.earlyEvent.rawValue)

    /// Remembers an event of an account that nobody has brought, if somebody still can.
    func remember(_ event: String, of account: AccountID, in programme: Programme) throws {
        var end = now + programme.attribution.window
        if let joined = try SignUps.joined(account, in: transaction),
            try !SignUps.isWaiting(account, in: transaction)
        {
            end = min(end, joined + Limits.lateClaim)
        }
        guard end > now else { return }
        try transaction.insert(
            into: "sharing_work", ["account", "record", "kind", "due"],
            [key(event, of: account, in: programme) + [.time(end)]], replacing: ["account", "record", "kind"])
    }

    /// Takes the remembered events of an account that somebody has brought, and returns their names. The window of an event
    /// must not have ended before the account has signed up.
    func take(of account: AccountID, in programme: Programme, joined: Timestamp) throws -> [String] {
        try programme.rewardedEvents.filter { event in
            try transaction.changes(
                """
                DELETE FROM sharing_work WHERE account = ? AND record = ? AND kind = ? AND due >= ? RETURNING record
                """, key(event, of: account, in: programme) + [.time(joined)])
        }
    }

    /// Remembers the events of an account whose sign-up was decided only as long as a late code can count.
    func limit(of account: AccountID, joined: Timestamp) throws {
        let end = SQLValue.time(joined + Limits.lateClaim)
        try transaction.execute(
            "UPDATE sharing_work SET due = ? WHERE account = ? AND kind = ? AND due > ?",
            [end, .id(account), Self.kind, end])
    }

    /// The primary key. Instead of a record, it has a hash of the programme and the event, so that an event has one row.
    private func key(_ event: String, of account: AccountID, in programme: Programme) -> [SQLValue] {
        [.id(account), .bytes(Data(Secret.sha256("\(programme.name)\0\(event)").prefix(16))), Self.kind]
    }
}
