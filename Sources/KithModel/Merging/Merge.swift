/// The law of merging: what becomes of a record when a mutation reaches it.
///
/// One pure function. The server decides with it; the client foresees with
/// ``Mutation/Change/applied(to:of:)``, which is its last step.
///
/// Field by field, the later edit wins, and ties go to the later arrival, so a
/// tick and a rename of the same item both survive. Additions add up. A
/// deletion wins over every edit, and what is deleted stays deleted.
package enum Merge {
    /// How and when a mutation reached the server.
    package struct Arrival: Hashable, Sendable {
        /// The server's time, never before anything that the feed already holds.
        package var time: Timestamp
        /// The sequence that the outcome will have in its feed.
        package var sequence: Int64
        /// The tag of the device that sent it.
        package var device: Int64

        /// An arrival with these properties.
        package init(time: Timestamp, sequence: Int64, device: Int64) {
            self.time = time
            self.sequence = sequence
            self.device = device
        }

        /// The stamp of what is written as it arrives.
        package var stamp: Stamp { Stamp(time: time, sequence: sequence, device: device) }
    }

    /// What becomes of the record.
    package enum Outcome: Hashable, Sendable {
        /// The record is now this.
        case applied(RecordState)
        /// Later edits of all its fields had already won, or there was nothing left to delete.
        case superseded
        /// The record was deleted, or never was; it stays as it is.
        case rejected(RejectionCode)
    }

    /// What becomes of `record`, nil if there is none, when `mutation` reaches it.
    package static func outcome(of mutation: Mutation, on record: RecordState?, at arrival: Arrival) -> Outcome {
        switch (mutation.change, record) {
        case (.delete, nil):
            return .superseded
        case (.delete, let record?):
            return record.isDeleted ? .superseded : .applied(.tombstone(at: arrival))
        case (.edit(let set, _), nil):
            return created(by: mutation, set: set, at: arrival)
        case (.edit, let record?) where record.isDeleted:
            return .rejected(.deleted)
        case (.edit(let set, let add), let record?):
            return edited(record, by: mutation, set: set, add: add, at: arrival)
        }
    }

    private static func created(by mutation: Mutation, set: Fields, at arrival: Arrival) -> Outcome {
        let schema = Schema[mutation.collection]
        guard schema?.missing(in: set) == nil, mutation.seen == 0 else {
            // An edit of a record that never came to be, or whose memory is
            // gone. Whoever has seen the record did not mean to make one.
            return .rejected(.notFound)
        }
        var stamps: Stamps?
        for name in set.keys.sorted() {
            let stamp = Stamp(
                time: edited(mutation, name, before: nil, at: arrival), sequence: arrival.sequence,
                device: arrival.device)
            if stamps == nil { stamps = Stamps(common: stamp) } else { stamps?[name] = stamp }
        }
        return .applied(
            RecordState(
                fields: mutation.change.applied(to: [:], of: schema) ?? [:],
                stamps: stamps ?? Stamps(common: arrival.stamp), sequence: arrival.sequence, modified: arrival.time))
    }

    private static func edited(
        _ record: RecordState, by mutation: Mutation, set: Fields, add: [String: Int64], at arrival: Arrival
    ) -> Outcome {
        var winning: Fields = [:]
        var stamps = record.stamps
        for (name, value) in set {
            let previous = record.stamp(of: name)
            let time = edited(mutation, name, before: previous, at: arrival)
            guard previous.map({ time >= $0.time }) ?? true else { continue }
            winning[name] = value
            stamps[name] = Stamp(time: time, sequence: arrival.sequence, device: arrival.device)
        }
        if winning.isEmpty && add.isEmpty { return .superseded }
        let change = Mutation.Change.edit(set: winning, add: add)
        return .applied(
            RecordState(
                fields: change.applied(to: record.fields, of: Schema[mutation.collection]) ?? [:], stamps: stamps,
                sequence: arrival.sequence, modified: arrival.time))
    }

    /// When a field was edited, in the server's time.
    ///
    /// Its arrival less its age, but never earlier than a value that the device
    /// had seen there or had written itself, and never later than its arrival. So
    /// no device's clock is believed further than it can be checked.
    private static func edited(
        _ mutation: Mutation, _ field: String, before previous: Stamp?, at arrival: Arrival
    ) -> Timestamp {
        var time = arrival.time - .milliseconds(min(mutation.age(of: field), Limits.age.milliseconds))
        if let previous, previous.sequence <= mutation.seen || previous.device == arrival.device {
            time = max(time, previous.time)
        }
        return min(time, arrival.time)
    }
}
