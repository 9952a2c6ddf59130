import KithModel

/// What an answer does to the replica, as a value: first a plan, then its application.
///
/// Acknowledged mutations leave the outbox, changes are laid down, mutations
/// that still wait are merged over them again, and the token moves; all in one
/// transaction, so that nobody ever sees half an answer.
struct AnswerPlan: Sendable {
    let answer: SyncAnswer
    /// Mutations up to this number are taken.
    let takenThrough: Int64
    /// The last number that the request carried. What was taken beyond it, by an earlier attempt whose
    /// answer was lost, is not among what is told.
    let carriedThrough: Int64
    let rejections: [Int64: (code: RejectionCode, sentence: String)]
    /// Single records, each once, in the order of the answer.
    let told: [FeedRecord]
    let pages: [(feed: FeedID, page: RecordPage)]
    /// Feeds that were read to their end, and the digests that they then must have.
    let ends: [(feed: FeedID, digest: FeedDigest?)]
    let lost: [FeedID]
    /// Feeds that moved without being read to their end.
    let open: [FeedID]

    init(_ answer: SyncAnswer, to request: SyncRequest) {
        self.answer = answer
        takenThrough = answer.acknowledged.number
        carriedThrough = request.mutations.last?.number ?? request.acknowledged.number
        var rejections: [Int64: (RejectionCode, String)] = [:]
        for outcome in answer.outcomes { rejections[outcome.number] = outcome.refusal }
        self.rejections = rejections
        // A record can be both named and among the changes; they are equal, being of one snapshot.
        var told: [FeedRecord] = []
        var places: [FeedRecordKey: Int] = [:]
        let news = answer.feeds.flatMap { feed in feed.changes.map { FeedRecord(feed: feed.feed, change: $0) } }
        for record in answer.records + news {
            let key = FeedRecordKey(feed: record.feed, id: record.change.id)
            if let place = places[key] {
                told[place] = record
            } else {
                places[key] = told.count
                told.append(record)
            }
        }
        // Of a record that was named, and that the answer keeps silent about, nothing can be read.
        for mutation in request.mutations where mutation.number <= answer.acknowledged.number {
            let key = FeedRecordKey(feed: mutation.feed, id: mutation.record)
            guard places[key] == nil else { continue }
            places[key] = told.count
            let missing = RecordChange(
                collection: mutation.collection, id: mutation.record, sequence: 0, modified: answer.time, fields: nil)
            told.append(FeedRecord(feed: mutation.feed, change: missing))
        }
        self.told = told
        pages = answer.feeds.compactMap { feed in feed.page.map { (feed.feed, $0) } }
        ends = answer.feeds.filter(\.isComplete).map { ($0.feed, $0.digest) }
        open = answer.feeds.filter { !$0.isComplete }.map(\.feed)
        lost = answer.lost
    }

    private struct FeedRecordKey: Hashable {
        let feed: FeedID
        let id: RecordID<Never>
    }
}
