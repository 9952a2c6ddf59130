public import KithModel

extension NetworkContact {
    /// A part of a contact that can change.
    public enum Key: String, CaseIterable, Hashable, Sendable {
        /// The given, the family or the nickname.
        case name
        /// The title, what they do, or where they work.
        case work
        /// The status line.
        case status
        /// The picture: another one, or its bytes have come.
        case picture
        /// What the two of us are to each other.
        case relation
        /// When they have asked or accepted, or were last told that I ask.
        case request
        /// Whether I have blocked them.
        case isBlocked
        /// Whether, and until when, I have muted them.
        case muted
        /// Whether they are a program.
        case isBot
        /// What is asked for: there is something new, or it has come.
        case details
        /// Whether they are there: ``Network/presence(of:)``.
        case presence
    }

    /// What differs between two states of one contact. That it was modified, by itself, is no difference.
    static func differing(_ old: NetworkContact, _ new: NetworkContact) -> Set<Key> {
        var keys: Set<Key> = []
        func note(_ key: Key, _ isEqual: Bool) { if !isEqual { keys.insert(key) } }
        note(.name, old.given == new.given && old.family == new.family && old.nick == new.nick)
        note(.work, old.title == new.title && old.jobTitle == new.jobTitle && old.company == new.company)
        note(.status, old.status == new.status)
        note(.picture, old.picture == new.picture)
        note(.relation, old.relation == new.relation)
        note(
            .request,
            old.asked == new.asked && old.accepted == new.accepted && old.notified == new.notified)
        note(.isBlocked, old.isBlocked == new.isBlocked)
        note(.muted, old.mutedFrom == new.mutedFrom && old.mutedUntil == new.mutedUntil)
        note(.isBot, old.isBot == new.isBot)
        note(.details, old.detailsTag == new.detailsTag)
        return keys
    }
}

/// What has changed among the people of a ``NetworkView``, after it can be read.
public struct NetworkChanges: Hashable, Sendable {
    /// Someone who was there before, and is still.
    public struct Update: Hashable, Sendable {
        /// The contact as it is now.
        public let contact: NetworkContact
        /// What of it has changed.
        public let keys: Set<NetworkContact.Key>
    }

    /// Those who have come into the view, as they are now.
    public internal(set) var added: [NetworkContact] = []
    /// Those who have left the view, as they were before.
    public internal(set) var removed: [NetworkContact] = []
    /// Those who have changed.
    public internal(set) var updated: [Update] = []
    /// Where the change came from; `state` for what was there when one began to listen.
    public let origin: ChangeOrigin
    /// Whether my network has been filled: the first round has written everything. See ``Changed/isPopulated``.
    public internal(set) var isPopulated = false

    /// Whether nothing has changed.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && updated.isEmpty }
}

/// What has changed of contacts, whichever view they are in: on its way to those who listen.
package struct ContactDifferences: Hashable, Sendable {
    /// One contact as it was and as it is; nil where there is no record of it.
    package struct Difference: Hashable, Sendable {
        package let before: NetworkContact?
        package let after: NetworkContact?
        /// What has changed, beside what can be seen of the two.
        var keys: Set<NetworkContact.Key> = []
    }

    package let all: [Difference]
    package let origin: ChangeOrigin
    /// Whose network it was.
    var meBefore: AccountID?
    /// Whose network it is.
    var meAfter: AccountID?

    /// What those hear who look at `view`.
    package func changes(in view: NetworkView) -> NetworkChanges {
        var changes = NetworkChanges(origin: origin)
        for one in all {
            let before = one.before.flatMap { view.shows($0, to: meBefore) ? $0 : nil }
            let after = one.after.flatMap { view.shows($0, to: meAfter) ? $0 : nil }
            switch (before, after) {
            case (nil, let after?): changes.added.append(after)
            case (let before?, nil): changes.removed.append(before)
            case (let before?, let after?):
                let keys = one.keys.union(NetworkContact.differing(before, after))
                if !keys.isEmpty { changes.updated.append(.init(contact: after, keys: keys)) }
            case (nil, nil): break
            }
        }
        return changes
    }
}
