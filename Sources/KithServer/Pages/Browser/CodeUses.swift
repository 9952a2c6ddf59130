import Foundation
package import KithModel

/// Uses the codes of people who have shared, on behalf of accounts that are signed in on the web.
///
/// The account's records are edited as the app edits them, so the same rules apply. What a code has brought is written into
/// the record later, as it is for the app.
package struct CodeUses: Sendable {
    private let rounds: SyncService

    /// Uses codes in `database`, and sends the signals of its commits.
    package init(database: any Database, signals: SignalSender = .none) {
        rounds = SyncService(database: database, signals: signals)
    }

    /// Uses a code. A repetition changes nothing.
    ///
    /// - Parameters:
    ///   - link: The code, in any spelling, and how it was shared. Nobody need have the code: then the record says so
    ///     later.
    ///   - account: Who uses it.
    ///   - network: The network of the browser.
    ///   - used: When the person has chosen the code, at most ``Limits/age`` ago; nil for now.
    ///   - now: The server's time.
    /// - Throws: ``ServerError``: `tooMany` if the account has used as many codes as it can, or has too many devices; `busy` if
    ///   the database is not available; `accountClosed`.
    package func use(
        _ link: ShareLink, by account: AccountID, from network: ClientNetwork, used: Timestamp? = nil, at now: Timestamp
    ) async throws {
        let hash = Secret.sha256("browser \(account) \(link.code.key)")
        // A hash has 32 bytes, so both halves have 16.
        let (record, device) = (UUID(bytes: hash.prefix(16))!, UUID(bytes: hash.suffix(16))!)
        var fields: Fields = ["code": .text(link.code.text), "used": .integer((used ?? now).milliseconds)]
        if let channel = link.channel { fields["channel"] = .text(channel.rawValue) }
        let use = Mutation(
            id: MutationID(record), number: 1, feed: account.retyped(), collection: .claims,
            record: RecordID(record), seen: 0,
            change: .set(fields))
        let request = SyncRequest(
            account: account, device: DeviceID(device), acknowledged: .none, sent: 1, mutations: [use], token: nil)
        let synced = try await rounds.sync(
            request, as: account, at: now, under: SyncRound.Terms(network: network))
        // The answer has the record if there is one now, also after a repetition. Without room for it, there is none.
        guard synced.answer.records.contains(where: { $0.change.fields != nil }) else {
            throw ServerError(.tooMany, "The account has used \(Limits.claims) codes. No more can be used.")
        }
    }
}
