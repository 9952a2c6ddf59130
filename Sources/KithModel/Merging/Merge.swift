/// Decides the effect of a mutation on a record.
///
/// It is one pure function. The server uses it; the client predicts the result with
/// ``Mutation/Change/applied(to:of:)``, which is the last step of the function.
///
/// For each field the later edit wins or, if the times are equal, the later arrival. So a tick and a rename of the same
/// item are both kept. Additions are summed. A deletion wins over every edit, and a deleted record stays deleted.
package enum Merge {
    /// The circumstances under which a mutation reached the server.
    package struct Arrival: Hashable, Sendable {
        /// The server's time. It is never before any time in the feed.
        package var time: Timestamp
        /// The sequence that the outcome gets in its feed.
        package var sequence: Int64
        /// The tag of the device that has sent it.
        package var device: Int64

        /// Creates an arrival with these properties.
        package init(time: Timestamp, sequence: Int64, device: Int64) {
            self.time = time
            self.sequence = sequence
            self.device = device
        }

        /// The stamp of fields that are written at this arrival.
        package var stamp: Stamp { Stamp(time: time, sequence: sequence, device: device) }
    }

    /// The effect on the record.
    package enum Outcome: Hashable, Sendable {
        /// The new state of the record.
        case applied(RecordState)
        /// All fields of the mutation have later edits, or the record was already deleted.
        case superseded
        /// The record was deleted or never existed; nothing changes.
        case rejected(RejectionCode)
    }

    /// The effect of `mutation` on `record`, which is nil if it does not exist. `schema` is the schema of the
    /// collection; nil if this version does not know it.
    package static func outcome(
        of mutation: Mutation, on record: RecordState?, at arrival: Arrival, by schema: Schema?
    ) -> Outcome {
        switch (mutation.change, record) {
        case (.delete, nil):
            return .superseded
        case (.delete, let record?):
            return record.isDeleted ? .superseded : .applied(.tombstone(at: arrival))
        case (.edit(let set, _), nil):
            return created(by: mutation, set: set, at: arrival, schema)
        case (.edit, let record?) where record.isDeleted:
            return .rejected(.deleted)
        case (.edit(let set, let add), let record?):
            return edited(record, by: mutation, set: set, add: add, at: arrival, schema)
        }
    }

    private static func created(
        by mutation: Mutation, set: Fields, at arrival: Arrival, _ schema: Schema?
    ) -> Outcome {
        guard schema?.missing(in: set) == nil, mutation.seen == 0 else {
            // The mutation edits a record that was never created, or whose tombstone is gone. A device that has seen
            // the record did not intend to create one.
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
        _ record: RecordState, by mutation: Mutation, set: Fields, add: [String: Int64], at arrival: Arrival,
        _ schema: Schema?
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
                fields: change.applied(to: record.fields, of: schema) ?? [:], stamps: stamps,
                sequence: arrival.sequence, modified: arrival.time))
    }

    /// The time when a field was edited, in the server's time.
    ///
    /// This is the arrival time minus the mutation's age. It is never earlier than a value that the device had seen or
    /// written in this field, and never later than the arrival. These limits bound the effect of a wrong device clock.
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
