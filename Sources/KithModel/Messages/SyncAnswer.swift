/// What the server answers to a round. All of it is from one snapshot of the
/// database, taken after the round's mutations were committed.
package struct SyncAnswer: Hashable, Sendable, Codable {
    /// The account that the session speaks for.
    package var account: AccountID
    /// The server's time.
    package var time: Timestamp
    /// Changes when the server was restored from a backup: devices then send
    /// again what it had acknowledged, and reread everything.
    package var epoch: String
    /// Whether the server knows the device as the device knows itself.
    package var device: DeviceStanding
    /// The last mutation that the server has taken.
    package var acknowledged: Acknowledgement
    /// What became of the request's mutations. Those up to `acknowledged` that
    /// are not named were applied.
    package var outcomes: [MutationOutcome]
    /// The current state of every record that the request's mutations named and
    /// that the account may read.
    package var records: [FeedRecord]
    /// What is new, feed by feed.
    package var feeds: [FeedChanges]
    /// Feeds that the token had and that the account can no longer read.
    package var lost: [FeedID]
    /// How far the device has read, once it has taken this answer in.
    package var token: SyncToken
    /// Whether another round would bring more at once.
    package var more: Bool

    /// An answer with these properties.
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

/// Whether the server and a device agree on the device's numbers.
package enum DeviceStanding: String, Hashable, Sendable, Codable {
    /// They agree; the round was done.
    case recognised
    /// A number came back with another content: this replica is a copy of
    /// another. Nothing was taken; the device takes a new identity.
    case copied
    /// The server has taken fewer than the device was acknowledged: it was
    /// restored. Nothing was taken; the device sends again what follows `acknowledged`.
    case forgotten
}

/// What became of one mutation.
package struct MutationOutcome: Hashable, Sendable, Codable {
    /// The ways in which a mutation can end.
    package enum Result: String, Hashable, Sendable, Codable {
        /// Named only in answers to copies, where silence means "not taken".
        case applied
        /// A later edit of the same fields had already won.
        case superseded
        /// Refused, for the reason of `code`; nothing of it or its group was applied.
        case rejected
    }

    /// The mutation's number.
    package var number: Int64
    /// How it ended.
    package var result: Result
    /// Why it was rejected.
    package var code: RejectionCode?
    /// The same as a sentence for people.
    package var detail: String?

    /// An outcome with these properties.
    package init(number: Int64, result: Result, code: RejectionCode? = nil, detail: String? = nil) {
        self.number = number
        self.result = result
        self.code = code
        self.detail = detail
    }
}

/// The current state of one record, as it travels.
package struct RecordChange: Hashable, Sendable, Codable {
    /// The record's collection.
    package var collection: RecordCollection
    /// The record's identity.
    package var id: RecordID<Never>
    /// 0 if there is no such record.
    package var sequence: Int64
    /// When the record last changed, in the server's time.
    package var modified: Timestamp
    /// nil if the record is deleted or does not exist.
    package var fields: Fields?

    /// A change with these properties.
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
    /// The feed that the record lives in.
    package var feed: FeedID
    /// The record's current state.
    package var change: RecordChange

    /// The record together with this feed.
    package init(feed: FeedID, change: RecordChange) {
        self.feed = feed
        self.change = change
    }
}

/// What is new in one feed: changes after the token, or a page of a snapshot.
package struct FeedChanges: Hashable, Sendable, Codable {
    /// The feed that this is about.
    package var feed: FeedID
    /// The changes after the token, oldest first.
    package var changes: [RecordChange]
    /// Live records in order of their ids, when the feed is read from its beginning.
    package var page: RecordPage?
    /// Whether this reaches the feed's end. Only then `digest` is there.
    package var isComplete: Bool
    /// The digest of all live records of the feed.
    package var digest: FeedDigest?

    /// What is new in `feed`, with these properties.
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
