/// The server's answer in a round. Its content comes from one snapshot of the database, taken after the round's
/// mutations were committed.
package struct SyncAnswer: Hashable, Sendable, Codable {
    /// The session's account.
    package var account: AccountID
    /// The server's time.
    package var time: Timestamp
    /// Changes when the server is restored from a backup. Devices then resend what the server had acknowledged, and
    /// reread everything.
    package var epoch: String
    /// Whether the server and the device agree about the numbers of the device's mutations.
    package var device: DeviceStanding
    /// The last mutation that the server has taken.
    package var acknowledged: Acknowledgement
    /// The outcomes of the request's mutations. A mutation up to `acknowledged` without an outcome was applied.
    package var outcomes: [MutationOutcome]
    /// The current state of every record in the request's mutations that the account may read.
    package var records: [FeedRecord]
    /// The changes by feed.
    package var feeds: [FeedChanges]
    /// Feeds of the token that the account cannot read any more.
    package var lost: [FeedID]
    /// The device's read position after it has applied this answer.
    package var token: SyncToken
    /// Whether another round would return more right now.
    package var more: Bool
    /// The kind of the account; nil if it is that of the request, if the request has none, or from older servers. Unlike
    /// the other content, it was read with the session, before the mutations were taken.
    package var kind: String?

    /// Creates an answer with these properties.
    package init(
        account: AccountID, time: Timestamp, epoch: String, device: DeviceStanding, acknowledged: Acknowledgement,
        outcomes: [MutationOutcome], records: [FeedRecord], feeds: [FeedChanges], lost: [FeedID], token: SyncToken,
        more: Bool, kind: String? = nil
    ) {
        self.account = account
        self.time = time
        self.epoch = epoch
        self.device = device
        self.acknowledged = acknowledged
        self.outcomes = outcomes
        self.records = records
        self.feeds = feeds
        self.lost = lost
        self.token = token
        self.more = more
        self.kind = kind
    }
}
