/// Decides the effect of a mutation on a record.
///
/// It is one pure function. The server uses it; the client predicts the result with
/// ``Mutation/Change/applied(to:of:)``, which is the last step of the function.
///
/// For each field the later edit wins or, if the times are equal, the later arrival. So a tick and a rename of the same
/// item are both kept. Additions are summed. A deletion wins over every edit, and a deleted record stays deleted.
package enum Merge {
    /// The effect on the record.
    package enum Outcome: Hashable, Sendable {
        /// The new state of the record.
        case applied(RecordState)
        /// All fields have later edits, or the mutation deletes a record that does not exist or is already deleted.
        case superseded
        /// The record was deleted or never existed; nothing changes.
        case rejected(RejectionCode)
    }

    /// The effect of a mutation.
    ///
    /// - Parameters:
    ///   - mutation: The mutation.
    ///   - record: The record before it; nil if it does not exist.
    ///   - arrival: The stamp of a field that is edited at the moment when the mutation reaches the server. Its time is
    ///     never before any time in the feed. Its sequence is the one that the outcome gets.
    ///   - schema: The schema of the collection; nil if this version does not know it.
    /// - Returns: The new state of the record, or why there is none.
    package static func outcome(
        of mutation: Mutation, on record: RecordState?, at arrival: Stamp, by schema: Schema?
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
        by mutation: Mutation, set: Fields, at arrival: Stamp, _ schema: Schema?
    ) -> Outcome {
        guard schema?.missing(in: set) == nil, mutation.seen == 0 else {
            // The mutation edits a record that was never created, or whose tombstone is gone. A device that has seen
            // the record did not intend to create one.
            return .rejected(.notFound)
        }
        var stamps: Stamps?
        for name in set.keys.sorted() {
            let stamp = stamp(of: name, editedBy: mutation, before: nil, at: arrival)
            if stamps == nil { stamps = Stamps(common: stamp) } else { stamps?[name] = stamp }
        }
        return .applied(
            RecordState(
                fields: mutation.change.applied(to: [:], of: schema) ?? [:],
                stamps: stamps ?? Stamps(common: arrival), sequence: arrival.sequence, modified: arrival.time))
    }

    private static func edited(
        _ record: RecordState, by mutation: Mutation, set: Fields, add: [String: Int64], at arrival: Stamp,
        _ schema: Schema?
    ) -> Outcome {
        var winning: Fields = [:]
        var stamps = record.stamps
        for (name, value) in set {
            let previous = record.stamp(of: name)
            let stamp = stamp(of: name, editedBy: mutation, before: previous, at: arrival)
            guard previous.map({ stamp.time >= $0.time }) ?? true else { continue }
            winning[name] = value
            stamps[name] = stamp
        }
        if winning.isEmpty && add.isEmpty { return .superseded }
        let change = Mutation.Change.edit(set: winning, add: add)
        return .applied(
            RecordState(
                fields: change.applied(to: record.fields, of: schema) ?? [:], stamps: stamps,
                sequence: arrival.sequence, modified: arrival.time))
    }

    /// The stamp of a field that a mutation edits.
    ///
    /// Its time is the arrival time minus the mutation's age. It is never earlier than a value that the device had seen
    /// or written in this field, and never later than the arrival. This limits the effect of a wrong device clock.
    private static func stamp(
        of field: String, editedBy mutation: Mutation, before previous: Stamp?, at arrival: Stamp
    ) -> Stamp {
        var time = time(of: field, editedBy: mutation, at: arrival)
        if let previous, previous.sequence <= mutation.seen || previous.device == arrival.device {
            time = max(time, previous.time)
        }
        return Stamp(time: min(time, arrival.time), sequence: arrival.sequence, device: arrival.device)
    }

    /// The time of an edit by its age alone.
    private static func time(of field: String, editedBy mutation: Mutation, at arrival: Stamp) -> Timestamp {
        arrival.time - .milliseconds(min(mutation.age(of: field), Limits.age.milliseconds))
    }

    /// Whether the effect of a mutation depends on ``Mutation/seen``: by its age, it is older than another device's value,
    /// which its device may have seen; or it adds 0, which can be a condition.
    package static func dependsOnSeen(_ mutation: Mutation, on record: RecordState, at arrival: Stamp) -> Bool {
        guard mutation.seen > 0, case .edit(let set, let add) = mutation.change else { return false }
        if add.values.contains(0) { return true }
        return set.keys.contains { field in
            guard let previous = record.stamp(of: field), previous.device != arrival.device else { return false }
            return previous.time > time(of: field, editedBy: mutation, at: arrival)
        }
    }

    /// Whether a record is as the author of `condition` knew it: no other device has set a field since, and the sums are those
    /// that the condition states. See ``Mutation/isCondition(of:)``.
    package static func isMet(
        _ condition: Mutation, by record: RecordState, of device: Int64, _ schema: Schema?
    ) -> Bool {
        let stamps = [record.stamps.common] + record.stamps.own.values
        if stamps.contains(where: { $0.sequence > condition.seen && $0.device != device }) { return false }
        return condition.change.statedSums.allSatisfy { name, sum in
            (schema?[name]?.shown(record.fields[name]) ?? record.fields[name]) == sum
        }
    }

    /// A mutation as it is merged if ``Mutation/seen`` is a sequence from before the server was restored from a backup.
    ///
    /// Other changes can have this sequence now. The device only knew the values with which the record was created.
    package static func seenBeforeRestore(_ mutation: Mutation, on record: RecordState) -> Mutation {
        var mutation = mutation
        if mutation.seen > 0 { mutation.seen = max(1, record.stamps.common.sequence) }
        return mutation
    }
}
