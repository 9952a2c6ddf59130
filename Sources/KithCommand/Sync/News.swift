package import KithModel
import Kith

/// What has changed, as `kith watch` tells it.
package struct News: Sendable {
    /// A list, an item or a person in the news.
    package struct Subject: Sendable {
        /// The list that it is or is in; nil of a person.
        package let listID: ListID?
        /// What it is, in a few words: `Milk ×2`, `Groceries (shared)`, `Ada: asks you`.
        package let words: String
        /// Everything about it that people see: news that changes none of it is none to them. nil if all is.
        fileprivate let shown: [String?]?
        fileprivate let id: RecordID<Never>
        package let json: JSON

        package init(_ list: SharedList) {
            listID = list.id
            id = list.id.retyped()
            words = list.access == .private ? list.name : "\(list.name) (\(list.access.rawValue))"
            shown = [words]
            json = list.json()
        }

        package init(_ item: ListItem) {
            listID = item.listID
            id = item.id.retyped()
            words = "[\(item.isTicked ? "x" : " ")] \(item.title)" + (item.count == 1 ? "" : " ×\(item.count)")
            shown = [words, item.category, item.comment, item.offer, item.position.text]
            json = item.json()
        }

        /// A person; what there is to say of one is not always the same.
        package init(_ person: NetworkContact, _ words: String) {
            listID = nil
            id = person.id.retyped()
            self.words = words
            // What of a person has changed is known: each of it is news.
            shown = nil
            json = person.json()
        }
    }

    package let collection: RecordCollection
    package let origin: String
    package let added: [Subject]
    package let removed: [Subject]
    package let modified: [Subject]

    package init(
        _ collection: RecordCollection, origin: String, added: [Subject], removed: [Subject], modified: [Subject]
    ) {
        self.collection = collection
        self.origin = origin
        self.added = added
        self.removed = removed
        self.modified = modified
    }

    /// The part of the news that is about `list`; all of it if that is nil.
    package func about(_ list: ListID?) -> News {
        guard let list else { return self }
        func only(_ subjects: [Subject]) -> [Subject] { subjects.filter { $0.listID == list } }
        return News(
            collection, origin: origin, added: only(added), removed: only(removed), modified: only(modified))
    }

    package var isEmpty: Bool { added.isEmpty && removed.isEmpty && modified.isEmpty }

    package var json: JSON {
        .object([
            "collection": .text(collection.rawValue), "origin": .text(origin), "added": .list(added, \.json),
            "removed": .list(removed, \.json), "modified": .list(modified, \.json),
        ])
    }
}

/// Turns news into lines for people. It remembers what it said of each list, to
/// name the list of an item, and not to say again what has not changed: a list
/// counts as modified with each of its items.
package struct NewsTeller: Sendable {
    private var lists: [ListID: String] = [:]
    private var told: [RecordID<Never>: [String?]] = [:]

    package init() {}

    package mutating func lines(_ news: News) -> [String] {
        let from = News.words(ofOrigin: news.origin)
        return (lines("+", news.added, news) + lines("~", news.modified, news) + lines("-", news.removed, news))
            .map { $0.printable + from }
    }

    private mutating func lines(_ mark: String, _ subjects: [News.Subject], _ news: News) -> [String] {
        subjects.compactMap { subject in
            if let shown = subject.shown {
                let isKnown = told.updateValue(shown, forKey: subject.id) == shown
                if mark == "~" && isKnown { return nil }
            }
            guard let list = subject.listID else { return "\(mark) \(subject.words)" }
            guard news.collection == .lists else {
                return "\(mark) \(subject.words)" + (lists[list].map { "  in \($0)" } ?? "")
            }
            lists[list] = subject.words
            return "\(mark) list \(subject.words)"
        }
    }
}

extension Sighting {
    /// Where it came from, as it is told; where another process had it from is not known.
    func origin(_ origin: ChangeOrigin) -> String { isFromElsewhere ? News.elsewhere : origin.rawValue }
}

extension News {
    /// The origin of what another process did in the same folder.
    package static let elsewhere = "elsewhere"

    private static let origins = [
        "device": "  (here)", "server": "  (from the server)", elsewhere: "  (by another kith here)",
    ]

    /// What is said of an origin, behind the news; nothing of a state.
    static func words(ofOrigin origin: String) -> String { origins[origin] ?? "" }

    /// The news of a sighting; nil of the members of lists, whom it does not tell of.
    init?(_ sighting: Sighting) {
        switch sighting.announcement {
        case .lists(let changed): self.init(changed, origin: sighting.origin(changed.origin))
        case .items(let changed): self.init(changed, origin: sighting.origin(changed.origin))
        case .contacts(let differences):
            let changes = differences.changes(in: .everyone)
            self.init(changes, origin: sighting.origin(changes.origin))
        case .members: return nil
        }
    }

    private init(_ changed: Changed<SharedList>, origin: String) {
        self.init(
            .lists, origin: origin, added: changed.added.map(Subject.init),
            removed: changed.removed.map(Subject.init), modified: changed.modified.map(Subject.init))
    }

    private init(_ changed: Changed<ListItem>, origin: String) {
        self.init(
            .items, origin: origin, added: changed.added.map(Subject.init),
            removed: changed.removed.map(Subject.init), modified: changed.modified.map(Subject.init))
    }

    /// People come and go online by the minute: whoever wants to hear that watches the network.
    private init(_ changes: NetworkChanges, origin: String) {
        let modified = changes.updated.compactMap { update -> Subject? in
            let keys = update.keys.subtracting([.presence])
            return keys.isEmpty ? nil : Subject(update.contact, "\(update.contact.called): \(update.news(keys))")
        }
        self.init(
            .contacts, origin: origin, added: changes.added.map { Subject($0, $0.introduction) },
            removed: changes.removed.map { Subject($0, $0.called) }, modified: modified)
    }
}
