package import KithModel

/// The changes of one `client.write { changes in … }`. They are applied together or not at all, on the device and on
/// the server.
///
/// The methods are those of ``Lists``, ``Network`` and ``Invitations``; ``sharing`` has those of ``Sharing``. They take
/// effect when the closure returns.
public final class Changes {
    let transaction: ReplicaTransaction
    private let isGroup: Bool
    /// The place of the next edit.
    private var groupPlace: GroupPlace
    private var count = 0
    private var bytes = 0
    /// The records that this transaction has removed so far, if removals are kept.
    var kept: [(key: RecordKey, record: StoredRecord)] = []

    /// Creates the changes of one transaction. If `isGroup` is true, the server applies them together or not at all.
    package init(_ transaction: ReplicaTransaction, isGroup: Bool) {
        self.transaction = transaction
        self.isGroup = isGroup
        groupPlace = isGroup ? .first : .alone
    }

    // MARK: One record

    /// Checks an edit against the field rules, writes it, and puts its mutation into the outbox.
    ///
    /// `known` are my rights to the record, if the caller has read them.
    package func edit(
        _ key: RecordKey, _ change: Mutation.Change, creating creation: Creation = .no, by known: Rights? = nil
    ) throws {
        let schema = try schema(of: key)
        let current = creation == .newID ? nil : try transaction.record(key)
        guard creation != .no || current.map({ !$0.isRemoved }) ?? false else { throw KithError.missing(key) }
        let rights = try known ?? self.rights(to: key)
        if let fault = FieldRules.fault(in: change, to: schema, creating: creation != .no, by: rights) {
            throw KithError(fault, at: transaction.now)
        }
        guard
            let fields = PendingState.applied(
                change, to: current?.fields ?? [:], by: transaction.collections[key.collection])
        else { return }
        let modified = max(current?.modified ?? transaction.now, transaction.now)
        try transaction.put(
            StoredRecord(fields: fields, sequence: current?.sequence ?? 0, modified: modified), key, over: current)
        try append(change, to: key, seen: current?.sequence ?? 0, hasNewID: creation == .newID)
    }

    /// Sets those of `fields` that differ from the record's current values.
    package func set(_ key: RecordKey, _ fields: Fields) throws {
        let current = try transaction.record(key)?.fields ?? [:]
        let changed = fields.filter { (current[$0.key] ?? .null) != $0.value }
        guard !changed.isEmpty else {
            if try transaction.record(key).map({ $0.isRemoved }) ?? true { throw KithError.missing(key) }
            return
        }
        try edit(key, .set(changed))
    }

    /// Removes a record: at once if the server does not know it, otherwise when the server has confirmed the removal.
    /// Getters do not return it any more in either case.
    package func delete(_ key: RecordKey) throws {
        guard let record = try transaction.record(key), !record.isRemoved else { throw KithError.missing(key) }
        if let fault = FieldRules.fault(
            in: .delete, to: try schema(of: key), creating: false, by: try rights(to: key))
        {
            throw KithError(fault, at: transaction.now)
        }
        let unsent = try transaction.outbox.unsent(of: key)
        if record.sequence == 0 && !unsent.mayBeKnown {
            try transaction.outbox.withdraw(unsent)
            try transaction.put(nil, key)
            return
        }
        var removed = record
        removed.isRemoved = true
        try transaction.put(removed, key, over: record)
        try append(.delete, to: key, seen: record.sequence)
    }

    private func append(_ change: Mutation.Change, to key: RecordKey, seen: Int64, hasNewID: Bool = false) throws {
        let text = StoredJSON.text(change)
        count += 1
        bytes += StoredMutation.wireSize(ofBytes: text.utf8.count)
        if isGroup && count > Limits.group {
            throw KithError(
                .tooMany, "At most \(Limits.group) edits go together. Write them in several parts.")
        }
        // A group is sent in one request. A larger group could never be sent, and would block everything after it.
        if isGroup && bytes > Outbox.bytes {
            throw KithError(
                .tooMany, "At most \(Outbox.bytes >> 20) MiB of edits go together. Write them in several parts.")
        }
        groupPlace = try transaction.outbox.append(
            change, to: key, seen: seen, at: transaction.now, groupPlace, id: transaction.dependencies.makeID(),
            rules: transaction.collections.folding(of: key.collection), text: text, hasNewID: hasNewID)
    }

    func schema(of key: RecordKey) throws -> Schema {
        guard let schema = transaction.collections[key.collection]?.schema else {
            throw KithError(.invalid, "There is no collection “\(key.collection)”.")
        }
        return schema
    }

    /// My rights to a record, as far as this device knows.
    func rights(to key: RecordKey) throws -> Rights {
        guard let feed = key.feed.id else { return Rights(role: .owner) }
        let (collections, isPerson) = (transaction.collections, key.id.uuid == transaction.account.id?.uuid)
        guard let first = collections.beginning(of: feed), let access = collections.access(to: feed) else {
            return Rights(role: nil, isPerson: isPerson)
        }
        let beginning = try transaction.record(first)
        if beginning?.isRemoved ?? false { throw KithError.missing(first) }
        let granted = try transaction.record(access).flatMap {
            $0.isRemoved ? nil : collections[access.collection]?.grantedRole($0.fields)
        }
        // The server does not know the feed yet: it is about to begin, or begins with an edit that waits.
        let isMine = beginning == nil ? key == first : beginning?.sequence == 0
        return Rights(role: granted ?? (isMine ? .owner : nil), isPerson: isPerson)
    }

    // MARK: Records of the account's own feed

    /// The record with this identity; nil if there is none.
    func record<Record: OwnRecord>(_ id: RecordID<Record>) throws -> Record? {
        let key = Record.recordKey(id)
        return try transaction.record(key).flatMap { $0.isRemoved ? nil : Record(key, $0) }
    }

    /// The record with this identity.
    ///
    /// - Throws: ``KithError`` with `notFound`.
    func existing<Record: OwnRecord>(_ id: RecordID<Record>) throws -> Record {
        guard let record = try record(id) else { throw KithError.missing(Record.recordKey(id)) }
        return record
    }

    func makeID<Record>(_ kind: Record.Type = Record.self) -> RecordID<Record> { transaction.dependencies.makeID() }
}

extension KithError {
    static func missing(_ key: RecordKey) -> KithError {
        KithError(.notFound, "There is no such \(key.collection): \(key.id). It may have been removed.")
    }

    /// The error of an update of a record that does not exist. It names the call that makes a record with an identity of
    /// the app.
    static func notUpdated(_ collection: RecordCollection, _ id: RecordID<Never>, creator: String) -> KithError {
        KithError(
            .notFound,
            "There is no such \(collection): \(id). It may have been removed. An update makes none; for a new one with an id "
                + "of your own, call \(creator).")
    }
}
