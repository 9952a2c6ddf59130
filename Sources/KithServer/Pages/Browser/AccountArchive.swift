package import KithModel

/// The data of an account as a file in JSON, for its owner: everything that the API shows to the account's devices.
package struct AccountArchive: Hashable, Sendable, Encodable {
    /// The most bytes of fields that a browser gets. An account with more is exported by the app.
    static let limit = 32 << 20

    /// A feed with its records, in the order of their ids.
    package struct Feed: Hashable, Sendable, Encodable {
        /// The feed: the account's own, or that of a list.
        package let feed: FeedID
        package let records: [RecordChange]
    }

    package let account: AccountID
    /// When the file was made, in the server's time.
    package let exported: Timestamp
    package let identities: OwnIdentityList
    package let passkeys: [Passkey]
    package let sessions: [SessionEntry]
    /// The account's own feed, then the lists in which it is.
    package let feeds: [Feed]

    /// The feeds that an account can read.
    ///
    /// - Throws: ``ServerError`` with the code `tooMany` if there is more than ``limit``.
    static func feeds(of account: AccountID, in database: any Database, at now: Timestamp) async throws -> [Feed] {
        let device = DeviceID(account.uuid)
        var request = SyncRequest(
            account: account, device: device, acknowledged: .none, sent: 0, mutations: [], token: nil)
        var records: [FeedID: [RecordID<Never>: RecordChange]] = [:]
        var (bytes, hasMore) = (0, true)
        while hasMore {
            // A round without mutations writes nothing.
            let synced = try await SyncService(database: database).sync(request, as: account, at: now)
            bytes += synced.bytes
            guard bytes <= limit else {
                throw ServerError(
                    .tooMany, "The account has more than \(limit) bytes of records. Export it in the app.")
            }
            for feed in synced.answer.feeds {
                if records[feed.feed] == nil { records[feed.feed] = [:] }
                for change in (feed.page?.records ?? []) + feed.changes {
                    records[feed.feed]?[change.id] = change.fields == nil ? nil : change
                }
            }
            for lost in synced.answer.lost { records[lost] = nil }
            request.token = synced.answer.token
            hasMore = synced.answer.more
        }
        let home: FeedID = account.retyped()
        let feeds = records.map { feed, records in Feed(feed: feed, records: records.values.sorted { $0.id < $1.id }) }
        return feeds.sorted { ($0.feed == home ? 0 : 1, $0.feed) < ($1.feed == home ? 0 : 1, $1.feed) }
    }
}
