import KithModel

/// What clients of one version have exchanged with a server of another.
package struct Exchange: Sendable {
    /// Records, or a field of records, that only some versions know.
    package enum Subject: String, CaseIterable, Hashable, Sendable {
        case lists, people, category, comment
    }

    private var sent: Set<Subject> = []
    private var heard: Set<Subject> = []
    /// How many edits were made of records with fields that the client does not know. The auditor has judged that these
    /// fields are unchanged.
    package private(set) var kept = 0

    package init() {}

    /// What the clients have sent and the server has taken, and what it has also told such clients.
    package var subjects: [Subject] { Subject.allCases.filter { sent.contains($0) && heard.contains($0) } }

    /// The exchanges of two worlds together.
    package static func + (one: Exchange, other: Exchange) -> Exchange {
        var sum = one
        sum.sent.formUnion(other.sent)
        sum.heard.formUnion(other.heard)
        sum.kept += other.kept
        return sum
    }

    /// Notes the mutations of a request that the server has not refused, under the names of the newest version.
    mutating func noteTaken(_ request: SyncRequest, _ answer: SyncAnswer) {
        guard answer.device != .copied else { return }
        let refused = Set(answer.outcomes.map(\.number))
        for mutation in request.mutations where !refused.contains(mutation.number) {
            guard mutation.number <= answer.acknowledged.number, case .edit(let set, _) = mutation.change else {
                continue
            }
            sent.formUnion(Self.subjects(of: mutation.collection, set))
        }
    }

    /// Notes the edits of records with fields that the client does not know.
    mutating func noteKept(
        in request: SyncRequest, _ before: [Place: Fields], _ after: [Place: Fields], by version: Version
    ) {
        for mutation in request.mutations {
            let place = Place(feed: mutation.feed, record: mutation.record)
            guard let old = before[place], after[place] != nil else { continue }
            if version.laterFields[mutation.collection]?.contains(where: { old[$0] != nil }) ?? false { kept += 1 }
        }
    }

    /// Notes an answer, under the names of the client's version.
    mutating func noteHeard(_ answer: SyncAnswer) {
        var changes = answer.records.map(\.change)
        for feed in answer.feeds { changes += feed.changes + (feed.page?.records ?? []) }
        for change in changes {
            if let fields = change.fields { heard.formUnion(Self.subjects(of: change.collection, fields)) }
        }
    }

    private static func subjects(of collection: RecordCollection, _ fields: Fields) -> Set<Subject> {
        switch collection {
        case .profiles, .contacts: return [.people]
        case .lists: return [.lists]
        case .items:
            let named = [Subject.category, .comment].filter { (fields[$0.rawValue]?.text ?? "") != "" }
            return Set(named + [.lists])
        default: return []
        }
    }
}
