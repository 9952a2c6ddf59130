/// The server's answer in a round. It comes from one snapshot of the database, taken after the commit of the round's
/// mutations.
package struct SyncAnswer: Hashable, Sendable, Codable {
    /// The session's account.
    package var account: AccountID
    /// The server's time.
    package var time: Timestamp
    /// Changes when the server is restored from a backup. Devices then resend what it had acknowledged, and reread
    /// everything.
    package var epoch: String
    /// Whether the server and the device agree about the device.
    package var device: DeviceStanding
    /// The last mutation that the server has processed.
    package var acknowledged: Acknowledgement
    /// The outcomes of the request's mutations. A mutation up to `acknowledged` without an outcome was applied.
    package var outcomes: [MutationOutcome]
    /// The current state of every record in the request's mutations that the account may read.
    package var records: [FeedRecord]
    /// The changes by feed.
    package var feeds: [FeedChanges]
    /// Feeds of the token that the account can no longer read.
    package var lost: [FeedID]
    /// The device's read position after it has applied this answer.
    package var token: SyncToken
    /// Whether another round would return more at once.
    package var more: Bool

    /// Creates an answer with these properties.
    package init(
        account: AccountID, time: Timestamp, epoch: String, device: DeviceStanding, acknowledged: Acknowledgement,
        outcomes: [MutationOutcome], records: [FeedRecord], feeds: [FeedChanges], lost: [FeedID], token: SyncToken,
        more: Bool
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
    }
}

/// Whether the server and a device agree about the device's numbers.
package enum DeviceStanding: String, Hashable, Sendable, Codable {
    /// They agree; the round was completed.
    case recognised
    /// A number was reused with other content: this replica is a copy of another. Nothing was applied; the device takes
    /// a new identity.
    case copied
    /// The server has fewer mutations than it had acknowledged: it was restored. Nothing was applied; the device
    /// resends what follows `acknowledged`.
    case forgotten
}

/// The outcome of one mutation.
package struct MutationOutcome: Hashable, Sendable, Codable {
    /// The possible results of a mutation.
    package enum Result: String, Hashable, Sendable, Codable {
        /// Applied. Only reported in answers to copies, where no outcome means "not applied".
        case applied
        /// A later edit of the same fields had won.
        case superseded
        /// Refused, for the reason in `code`; nothing of it or its group was applied.
        case rejected
    }

    /// The mutation's number.
    package var number: Int64
    /// The result.
    package var result: Result
    /// The reason for a rejection.
    package var code: RejectionCode?
    /// The reason as a sentence for people.
    package var detail: String?

    /// Creates an outcome with these properties.
    package init(number: Int64, result: Result, code: RejectionCode? = nil, detail: String? = nil) {
        self.number = number
        self.result = result
        self.code = code
        self.detail = detail
    }
}

/// The current state of one record, in the form for messages.
package struct RecordChange: Hashable, Sendable, Codable {
    /// The record's collection.
    package var collection: RecordCollection
    /// The record's identity.
    package var id: RecordID<Never>
    /// The record's sequence; 0 if there is no such record.
    package var sequence: Int64
    /// The time of the record's last change, in the server's time.
    package var modified: Timestamp
    /// The fields; nil if the record is deleted or does not exist.
    package var fields: Fields?

    /// Creates a change with these properties.
    package init(
        collection: RecordCollection, id: RecordID<Never>, sequence: Int64, modified: Timestamp, fields: Fields?
    ) {
        self.collection = collection
        self.id = id
        self.sequence = sequence
        self.modified = modified
        self.fields = fields
    }
}

/// A record together with its feed.
package struct FeedRecord: Hashable, Sendable, Codable {
    /// The feed that contains the record.
    package var feed: FeedID
    /// The record's current state.
    package var change: RecordChange

    /// Creates a pair of feed and record.
    package init(feed: FeedID, change: RecordChange) {
        self.feed = feed
        self.change = change
    }
}

/// The news of one feed: changes after the token, or a page of a snapshot.
package struct FeedChanges: Hashable, Sendable, Codable {
    /// The feed.
    package var feed: FeedID
    /// The changes after the token, oldest first.
    package var changes: [RecordChange]
    /// Live records ordered by id, while the feed is read from its beginning.
    package var page: RecordPage?
    /// Whether this reaches the feed's end. Only then is `digest` present.
    package var isComplete: Bool
    /// The digest of all live records of the feed.
    package var digest: FeedDigest?

    /// Creates the news of `feed`.
    package init(
        feed: FeedID, changes: [RecordChange], page: RecordPage? = nil, isComplete: Bool, digest: FeedDigest? = nil
    ) {
        self.feed = feed
        self.changes = changes
        self.page = page
        self.isComplete = isComplete
        self.digest = digest
    }
}
