import KithModel

/// One item on a server that knows nothing but the law of merging.
struct LoneItem {
    static let id = RecordID<Never>(uuid(1))
    static let feed = FeedID(uuid(2))
    /// The time of the server when the item was made: its sequence is 1, its device 1.
    static let made: Int64 = 1_000_000_000

    private(set) var record: RecordState?
    private var sequence: Int64 = 0
    private var number: Int64 = 0

    /// What the item is at first.
    static let draft: Fields = ["title": "Milk", "position": "a0"]

    /// An item that was made, so that there is something to edit.
    static func existing(_ fields: Fields = draft) -> LoneItem {
        var item = LoneItem()
        item.take(.set(fields), device: 1, seen: 0, at: made)
        return item
    }

    /// Lets an edit arrive at the server's time `at`.
    @discardableResult
    mutating func take(
        _ change: Mutation.Change, device: Int64 = 2, seen: Int64 = 1, age: Int64 = 0, ages: [String: Int64] = [:],
        at time: Int64
    ) -> Merge.Outcome {
        number += 1
        let mutation = Mutation(
            id: MutationID(uuid(100 + UInt64(number))), number: number, feed: Self.feed, collection: .items,
            record: Self.id, seen: seen, age: age, ages: ages, change: change)
        let arrival = Stamp(time: Timestamp(milliseconds: time), sequence: sequence + 1, device: device)
        let outcome = Merge.outcome(of: mutation, on: record, at: arrival, by: ListItem.schema)
        if case .applied(let state) = outcome {
            record = state
            sequence += 1
        }
        return outcome
    }

    subscript(field: String) -> FieldValue { record?.fields[field] ?? .null }

    /// The stamp of a field, as milliseconds since the item was made.
    func stamp(_ field: String) -> Int64? {
        (record?.stamps[field].time.milliseconds).map { $0 - Self.made }
    }
}
