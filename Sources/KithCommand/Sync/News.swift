import Kith
package import KithAddressBook
package import KithDiscovery
package import KithModel

/// A change, as `kith watch` reports it.
package struct News: Sendable {
    /// A list, an item or a person in the news.
    package struct Subject: Sendable {
        /// The list itself, or the list that it is in; nil for a person.
        package let listID: ListID?
        /// A short description: `Milk ×2`, `Groceries (shared)`, `Ada: asks you`.
        package let words: String
        /// All values that people see. A change of other values is not reported to people. nil if every change is
        /// reported.
        let shown: [String?]?
        let id: RecordID<Never>
        /// For a member of a list, whether it is the watching user.
        var isMe = false
        /// For a member of a list, the role.
        var role: Role?
        fileprivate let shape: Shape

        package init(_ list: SharedList) {
            let words = list.access == .private ? list.name : "\(list.name) (\(list.access.rawValue))"
            self.init(list.id, in: list.id, words, shown: [words], list.shape())
        }

        /// An item; `names` has the names of people.
        package init(_ item: ListItem, _ names: [AccountID: String] = [:]) {
            let words = "[\(item.isTicked ? "x" : " ")] \(item.title)" + (item.count == 1 ? "" : " ×\(item.count)")
            let shown = [words, item.category, item.comment, item.offer, item.position.text]
            self.init(item.id, in: item.listID, words, shown: shown, item.shape(names: names))
        }

        /// A member of a list.
        package init(_ member: Member, _ people: NewsPeople) {
            let words = member.called(people.names)
            let shape = member.shape(me: people.me, people.names)
            self.init(member.id, in: member.listID, words, shown: [words, member.role.rawValue], shape)
            isMe = member.id == people.me
            role = member.role
        }

        /// An invitation.
        package init(_ invitation: Invitation) {
            let way = invitation.direction == .sent ? "invitation to" : "invitation from"
            let words = "\(way) \(invitation.called) (\(invitation.offer())): \(invitation.statusText)"
            self.init(invitation.id, words, invitation.shape)
        }

        /// A record of sharing, with words for what it is.
        init<Record>(_ id: RecordID<Record>, _ words: String, _ shape: Shape) {
            self.init(id, words, shown: [words], shape)
        }

        /// A person, with words for this change. The changes of a person are known, and each is reported.
        package init(_ person: NetworkContact, _ words: String) {
            self.init(person.id, words, shown: nil, person.shape)
        }

        fileprivate init<Record>(
            _ id: RecordID<Record>, in list: ListID? = nil, _ words: String, shown: [String?]?, _ shape: Shape
        ) {
            listID = list
            self.id = id.retyped()
            self.words = words
            self.shown = shown
            self.shape = shape
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

    /// The part of the news about `list`; all of it if `list` is nil.
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

extension ObservedChange {
    /// The origin to report. The origin of a change by another process is not known.
    func origin(_ origin: ChangeOrigin) -> String { isFromElsewhere ? News.elsewhere : origin.rawValue }
}

extension News {
    /// The contacts that use the service. They are not synced records, but are reported like them.
    static let matches = RecordCollection(rawValue: "match")

    /// The origin of changes that another process made in the same folder.
    package static let elsewhere = "elsewhere"

    private static let origins = [
        "device": "  (here)", "server": "  (from the server)", elsewhere: "  (by another kith here)",
    ]

    /// The words for an origin, after the news; empty for a state.
    static func words(ofOrigin origin: String) -> String { origins[origin] ?? "" }

    /// The news of a change; nil if there is nothing to report. `named` is the name of its origin.
    init?(_ announcement: Announcement, _ people: NewsPeople, _ named: (ChangeOrigin) -> String) {
        if let changed = announcement.lists {
            self.init(.lists, changed, origin: named(changed.origin)) { Subject($0) }
        } else if let changed = announcement.items {
            self.init(.items, changed, origin: named(changed.origin)) { Subject($0, people.names) }
        } else if let changed = announcement.members {
            self.init(.members, changed, origin: named(changed.origin)) { Subject($0, people) }
        } else if let changed = announcement.invitations {
            self.init(.invitations, changed, origin: named(changed.origin)) { Subject($0) }
        } else if let changes = announcement.contacts?.changes(in: .everyone) {
            self.init(changes, origin: named(changes.origin))
        } else {
            return nil
        }
    }

    /// The news of changes in what I share and in what comes of it, for each kind of record.
    static func all(_ changes: SharingChanges, origin: String) -> [News] {
        [
            News(.shareables, changes.shareables, origin: origin) { Subject($0.id, $0.news, $0.shape()) },
            News(.shares, changes.shares, origin: origin) { Subject($0.id, $0.news, $0.shape) },
            News(.claims, changes.claims, origin: origin) { Subject($0.id, $0.news, $0.shape) },
            News(.referrals, changes.referrals, origin: origin) { Subject($0.id, $0.news, $0.shape) },
            News(.rewards, changes.rewards, origin: origin) { Subject($0.id, $0.news, $0.shape) },
        ]
    }

    private init<Record: Sendable & Hashable>(
        _ collection: RecordCollection, _ changed: Changed<Record>, origin: String, _ subject: (Record) -> Subject
    ) {
        self.init(
            collection, origin: origin, added: changed.added.map(subject), removed: changed.removed.map(subject),
            modified: changed.modified.map(subject))
    }

    /// The contacts that have joined or left the service; `contacts` are all contacts of the address book.
    package init(
        added: [Discovery.Match], removed: [Discovery.Match], origin: String, _ contacts: [Contact],
        me: AccountID?
    ) {
        func subjects(_ matches: [Discovery.Match], _ words: String) -> [Subject] {
            var seen: Set<AccountID> = me.map { [$0] } ?? []
            return matches.filter { seen.insert($0.account).inserted }.map { match in
                let holders = contacts.filter { $0.identities.contains(match.identity) }
                return Subject(
                    match.account, "\(holders.sharedName ?? match.identity.shown) \(words)", shown: nil,
                    [
                        "identity": match.identity.text, "account": match.account, "contact": holders.first?.id,
                        "name": holders.first?.displayName, "holders": holders.holderShapes,
                    ])
            }
        }
        // The person may still be found by another number or email.
        let there = Set(added.map(\.account))
        self.init(
            Self.matches, origin: origin,
            added: subjects(added, "is on the service now"),
            removed: subjects(removed.filter { !there.contains($0.account) }, "is no longer on the service"),
            modified: [])
    }

    /// Presence changes every few minutes. `kith network watch` reports it.
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
