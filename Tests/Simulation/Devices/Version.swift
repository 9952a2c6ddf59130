import KithModel

/// The fields and collections that one version of Kith knows. An older version does not know some of them.
///
/// All devices and servers in a world run the same code. To simulate an older version, names that it does not know are
/// replaced by names that the code does not know in all messages to it, and restored in all messages from it.
package struct Version: Hashable, Sendable {
    /// The fields that were added after this version.
    var laterFields: [RecordCollection: Set<String>] = [:]
    /// The collections that were added after this version.
    var laterCollections: Set<RecordCollection> = []

    package static let newest = Version()

    private static let prefix = "later-"

    /// Creates an older version, which does not know some of the fields and, in some cases, people.
    init(olderThanPeople: Bool, using random: inout SplitMix64) {
        laterFields[.items] = ["comment"]
        if random.oneIn(2) { laterFields[.items]?.insert("category") }
        if random.oneIn(2) { laterFields[.lists] = ["theme"] }
        if olderThanPeople { laterCollections = [.profiles, .contacts] }
    }

    private init() {}

    private init(_ laterFields: [RecordCollection: Set<String>], _ laterCollections: Set<RecordCollection> = []) {
        (self.laterFields, self.laterCollections) = (laterFields, laterCollections)
    }

    /// This version and the three before it, the newest first, as `Documentation/Compatibility.md` publishes them.
    package static let window: [Version] = [
        .newest, Version([.items: ["comment"]]), Version([.items: ["comment", "category"]]),
        Version([.items: ["comment", "category"]], [.profiles, .contacts]),
    ]

    /// The names of what it does not know.
    package var unknownNames: [String] {
        let fields = laterFields.flatMap { collection, names in names.map { "\(collection.rawValue).\($0)" } }
        return fields.sorted() + laterCollections.map(\.rawValue).sorted()
    }

    var isNewest: Bool { laterFields.isEmpty && laterCollections.isEmpty }

    func knows(_ field: String, of collection: RecordCollection) -> Bool {
        knows(collection) && !(laterFields[collection]?.contains(field) ?? false)
    }

    func knows(_ collection: RecordCollection) -> Bool { !laterCollections.contains(collection) }

    // MARK: Messages to this version

    /// The name of the collection in messages to this version.
    func heard(_ collection: RecordCollection) -> RecordCollection {
        knows(collection) ? collection : RecordCollection(rawValue: Self.prefix + collection.rawValue)
    }

    func heard(_ fields: Fields, of collection: RecordCollection) -> Fields {
        fields.renamed { heard($0, of: collection) }
    }

    func heard(_ request: SyncRequest) -> SyncRequest {
        var heard = request
        heard.mutations = request.mutations.map { mutation in
            mutation.translated(to: self.heard(mutation.collection)) { self.heard($0, of: mutation.collection) }
        }
        return heard
    }

    func heard(_ answer: SyncAnswer) -> SyncAnswer {
        answer.translated({ self.heard($0) }) { self.heard($0, of: $1) }
    }

    private func heard(_ name: String, of collection: RecordCollection) -> String {
        laterFields[collection]?.contains(name) ?? false ? Self.prefix + name : name
    }

    // MARK: Messages from this version

    func said(_ fields: Fields) -> Fields { fields.renamed(Self.said) }

    func said(_ request: SyncRequest) -> SyncRequest {
        var said = request
        said.mutations = request.mutations.map { mutation in
            mutation.translated(to: Self.said(mutation.collection), Self.said)
        }
        return said
    }

    func said(_ answer: SyncAnswer) -> SyncAnswer {
        answer.translated(Self.said) { name, _ in Self.said(name) }
    }

    static func said(_ collection: RecordCollection) -> RecordCollection {
        RecordCollection(rawValue: said(collection.rawValue))
    }

    private static func said(_ name: String) -> String {
        name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    }
}

extension Dictionary where Key == String {
    fileprivate func renamed(_ name: (String) -> String) -> Self {
        Self(uniqueKeysWithValues: map { (name($0.key), $0.value) })
    }
}

extension Mutation {
    fileprivate func translated(to collection: RecordCollection, _ name: (String) -> String) -> Mutation {
        let change: Change =
            switch change {
            case .delete: .delete
            case .edit(let set, let add): .edit(set: set.renamed(name), add: add.renamed(name))
            }
        return Mutation(
            id: id, number: number, group: group, feed: feed, collection: collection, record: record, seen: seen,
            age: age, ages: ages.renamed(name), change: change)
    }
}

extension SyncAnswer {
    /// The answer with translated names of collections and fields.
    fileprivate func translated(
        _ collection: (RecordCollection) -> RecordCollection, _ name: (String, RecordCollection) -> String
    ) -> SyncAnswer {
        func translate(_ change: inout RecordChange) {
            let old = change.collection
            change.fields = change.fields?.renamed { name($0, old) }
            change.collection = collection(old)
        }
        var answer = self
        for index in answer.records.indices { translate(&answer.records[index].change) }
        for feed in answer.feeds.indices {
            for index in answer.feeds[feed].changes.indices { translate(&answer.feeds[feed].changes[index]) }
            guard var page = answer.feeds[feed].page else { continue }
            for index in page.columns.indices {
                let old = page.columns[index].collection
                page.columns[index].collection = collection(old)
                page.columns[index].fields = page.columns[index].fields.renamed { name($0, old) }
            }
            answer.feeds[feed].page = page
        }
        return answer
    }
}
