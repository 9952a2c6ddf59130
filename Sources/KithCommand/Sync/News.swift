import Kith
package import KithAddressBook
package import KithDiscovery
package import KithModel

/// What has changed, as `kith watch` tells it.
package struct News: Sendable {
    /// A list, an item or a person in the news.
    package struct Subject: Sendable {
        /// The list that it is or is in; nil of a person.
        package let listID: ListID?
        /// What it is, in a few words: `Milk ×2`, `Groceries (shared)`, `Ada: asks you`.
        package let words: String
        /// Everything about it that people see: news that changes none of it is none to them. nil if all is.
        let shown: [String?]?
        let id: RecordID<Never>
        /// Of somebody in a list, whether that is the one who watches.
        var isMe = false
        /// Of somebody in a list, what they may do there.
        var role: Role?
        fileprivate let shape: Shape

        package init(_ list: SharedList) {
            listID = list.id
            id = list.id.retyped()
            words = list.access == .private ? list.name : "\(list.name) (\(list.access.rawValue))"
            shown = [words]
            shape = list.shape()
        }

        /// An item; `names` has what people are called.
        package init(_ item: ListItem, _ names: [AccountID: String] = [:]) {
            listID = item.listID
            id = item.id.retyped()
            words = "[\(item.isTicked ? "x" : " ")] \(item.title)" + (item.count == 1 ? "" : " ×\(item.count)")
            shown = [words, item.category, item.comment, item.offer, item.position.text]
            shape = item.shape(names: names)
        }

        /// Somebody in a list.
        package init(_ member: Member, _ people: NewsPeople) {
            listID = member.listID
            id = member.id.retyped()
            words = member.called(people.names)
            shown = [words, member.role.rawValue]
            isMe = member.id == people.me
            role = member.role
            shape = member.shape(me: people.me, people.names)
        }

        /// Somebody of the address book who is on the service, or no longer.
        init(_ match: Discovery.Match, _ words: String, _ shape: Shape) {
            listID = nil
            id = match.account.retyped()
            self.words = words
            shown = nil
            self.shape = shape
        }

        /// A person; what there is to say of one is not always the same.
        package init(_ person: NetworkContact, _ words: String) {
            listID = nil
            id = person.id.retyped()
            self.words = words
            // What of a person has changed is known: each of it is news.
            shown = nil
            shape = person.shape()
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

    package var shape: Shape {
        [
            "collection": collection, "origin": origin, "added": added.map(\.shape), "removed": removed.map(\.shape),
            "modified": modified.map(\.shape),
        ]
    }
}

extension Sighting {
    /// Where it came from, as it is told; where another process had it from is not known.
    func origin(_ origin: ChangeOrigin) -> String { isFromElsewhere ? News.elsewhere : origin.rawValue }
}

extension News {
    /// Those of the address book who are on the service: no synced records, but told like them.
    static let matches = RecordCollection(rawValue: "match")

    /// The origin of what another process did in the same folder.
    package static let elsewhere = "elsewhere"

    private static let origins = [
        "device": "  (here)", "server": "  (from the server)", elsewhere: "  (by another kith here)",
    ]

    /// What is said of an origin, behind the news; nothing of a state.
    static func words(ofOrigin origin: String) -> String { origins[origin] ?? "" }

    /// The news of a change; nil if there is nothing to tell. `named` says what its origin is called.
    init?(_ announcement: Announcement, _ people: NewsPeople, _ named: (ChangeOrigin) -> String) {
        if let changed = announcement.lists {
            self.init(changed, origin: named(changed.origin))
        } else if let changed = announcement.items {
            self.init(changed, people.names, origin: named(changed.origin))
        } else if let changed = announcement.members {
            self.init(changed, people, origin: named(changed.origin))
        } else if let changes = announcement.contacts?.changes(in: .everyone) {
            self.init(changes, origin: named(changes.origin))
        } else {
            return nil
        }
    }

    private init(_ changed: Changed<SharedList>, origin: String) {
        self.init(
            .lists, origin: origin, added: changed.added.map(Subject.init),
            removed: changed.removed.map(Subject.init), modified: changed.modified.map(Subject.init))
    }

    private init(_ changed: Changed<ListItem>, _ names: [AccountID: String], origin: String) {
        func subjects(_ items: [ListItem]) -> [Subject] { items.map { Subject($0, names) } }
        self.init(
            .items, origin: origin, added: subjects(changed.added), removed: subjects(changed.removed),
            modified: subjects(changed.modified))
    }

    private init(_ changed: Changed<Member>, _ people: NewsPeople, origin: String) {
        func subjects(_ members: [Member]) -> [Subject] { members.map { Subject($0, people) } }
        self.init(
            .members, origin: origin, added: subjects(changed.added), removed: subjects(changed.removed),
            modified: subjects(changed.modified))
    }

    /// Who of the address book has joined the service, or left it; `contacts` are those of the address book.
    package init(
        added: [Discovery.Match], removed: [Discovery.Match], origin: String, _ contacts: [Contact],
        me: AccountID?
    ) {
        func subjects(_ matches: [Discovery.Match], _ words: String) -> [Subject] {
            var told: Set<AccountID> = me.map { [$0] } ?? []
            return matches.filter { told.insert($0.account).inserted }.map { match in
                let contact = contacts.first { $0.identities.contains(match.identity) }
                return Subject(
                    match, "\(contact?.displayName ?? match.identity.shown) \(words)",
                    [
                        "identity": match.identity.text, "account": match.account, "contact": contact?.id,
                        "name": contact?.displayName,
                    ])
            }
        }
        // Somebody can be there by another number or email.
        let there = Set(added.map(\.account))
        self.init(
            Self.matches, origin: origin,
            added: subjects(added, "is on the service now"),
            removed: subjects(removed.filter { !there.contains($0.account) }, "is no longer on the service"),
            modified: [])
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
