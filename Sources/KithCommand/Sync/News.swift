package import KithModel
import Kith

/// What has changed, as `kith watch` tells it.
package struct News: Sendable {
    /// A list or an item in the news.
    package struct Subject: Sendable {
        package let listID: ListID
        /// What it is, in a few words: `Milk ×2`, `Groceries (shared)`.
        package let words: String
        /// Everything about it that people see: news that changes none of it is none to them.
        fileprivate let shown: [String?]
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

    private static let origins = [
        "device": "  (here)", "server": "  (from the server)", News.elsewhere: "  (by another kith here)",
    ]

    package mutating func lines(_ news: News) -> [String] {
        let from = Self.origins[news.origin] ?? ""
        return (lines("+", news.added, news) + lines("~", news.modified, news) + lines("-", news.removed, news))
            .map { $0.printable + from }
    }

    private mutating func lines(_ mark: String, _ subjects: [News.Subject], _ news: News) -> [String] {
        subjects.compactMap { subject in
            let isKnown = told.updateValue(subject.shown, forKey: subject.id) == subject.shown
            if mark == "~" && isKnown { return nil }
            guard news.collection == .lists else {
                return "\(mark) \(subject.words)" + (lists[subject.listID].map { "  in \($0)" } ?? "")
            }
            lists[subject.listID] = subject.words
            return "\(mark) list \(subject.words)"
        }
    }
}

extension News {
    /// The origin of what another process did in the same folder.
    package static let elsewhere = "elsewhere"

    /// The news of a sighting; nil of people, whom it does not tell of.
    init?(_ sighting: Sighting) {
        let elsewhere = sighting.isFromElsewhere ? Self.elsewhere : nil
        switch sighting.announcement {
        case .lists(let changed): self.init(changed, origin: elsewhere ?? changed.origin.rawValue)
        case .items(let changed): self.init(changed, origin: elsewhere ?? changed.origin.rawValue)
        case .members, .contacts: return nil
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
}
