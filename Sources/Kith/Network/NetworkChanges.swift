import Foundation
public import KithModel

extension NetworkContact {
    /// A part of a contact that can change.
    public enum Key: String, CaseIterable, Hashable, Sendable {
        /// The given name, the family name or the nickname.
        case name
        /// The title, the work or the company.
        case work
        /// The status line.
        case status
        /// The picture: it was replaced, or its bytes were fetched.
        case picture
        /// The relation between the two of us.
        case relation
        /// The time when they sent or accepted a request, or were last notified of mine.
        case request
        /// Whether I have blocked them.
        case isBlocked
        /// Whether I have muted them, and until when.
        case muted
        /// Whether the account is a program.
        case isBot
        /// The details: newer ones exist, or they were fetched.
        case details
        /// Their presence: ``Network/presence(of:)``.
        case presence
    }

    /// The parts that differ between two states of one contact. A new modification time alone does not count.
    package static func differing(_ old: NetworkContact, _ new: NetworkContact) -> Set<Key> {
        var keys: Set<Key> = []
        func note(_ key: Key, _ isEqual: Bool) { if !isEqual { keys.insert(key) } }
        note(.name, old.hasSameName(as: new))
        note(.work, old.hasSameWork(as: new))
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

/// The changes of the people in a ``NetworkView``. They can be read when the signal arrives.
public struct NetworkChanges: Hashable, Sendable {
    /// A change of someone who stays in the view.
    public struct Update: Hashable, Sendable {
        /// The contact after the change.
        public let contact: NetworkContact
        /// The parts that have changed.
        public let keys: Set<NetworkContact.Key>
    }

    /// The people who have entered the view, in their state after the change.
    public internal(set) var added: [NetworkContact] = []
    /// The people who have left the view, in their state before the change.
    public internal(set) var removed: [NetworkContact] = []
    /// The people in the view who have changed.
    public internal(set) var updated: [Update] = []
    /// The origin of the change; `state` for the first signal, which holds the current people.
    public let origin: ChangeOrigin
    /// Whether my network is complete: the first round has written everything. See ``Changed/isPopulated``.
    public internal(set) var isPopulated = false

    /// Whether the signal holds no change.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && updated.isEmpty }
}
