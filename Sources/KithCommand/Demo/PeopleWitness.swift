import Kith
import KithModel
import Synchronization

/// Follows a network by what it tells, and keeps one of its own from that.
///
/// Each change must come once: who is added was not there, who is removed or updated was, and what is updated is
/// different now, unless it is said that something was fetched.
struct PeopleWitness: Sendable {
    private let notes = Notes()
    private let listening: Task<Void, Never>

    init(_ network: Network) {
        let (notes, changes) = (notes, network.changes())
        listening = Task {
            for await changed in changes { notes.take(changed) }
        }
    }

    /// How often it was heard that the bytes of someone's picture had come.
    func pictures(of account: AccountID) -> Int { notes.state.withLock { $0.pictures[account] ?? 0 } }

    /// Stops listening once the notes agree with the network.
    ///
    /// - Returns: How many changes were heard.
    /// - Throws: ``Failure`` if they do not come to agree, or something was heard that may not be.
    func finish(like network: Network) async throws -> Int {
        let notes = notes
        try await Limit("What was heard of the network adds up to what it shows").until {
            let shown = try await network.contacts()
            return notes.state.withLock { state in
                state.people.count == shown.count && shown.allSatisfy { state.people[$0.id]?.isShown(as: $0) ?? false }
            }
        }
        listening.cancel()
        await listening.value
        let (count, fault) = notes.state.withLock { ($0.changes, $0.fault) }
        if let fault { throw Failure(.failed, "demo", "Something was heard that may not be: \(fault)") }
        return count
    }
}

/// What a witness has heard.
private final class Notes: Sendable {
    struct State {
        var people: [AccountID: NetworkContact] = [:]
        var pictures: [AccountID: Int] = [:]
        var changes = 0
        var fault: String?
    }

    let state = Mutex(State())

    func take(_ changed: NetworkChanges) {
        state.withLock { state in
            for contact in changed.removed where state.people.removeValue(forKey: contact.id) == nil {
                state.fault = "\(contact.called) was removed and had not been there."
            }
            for contact in changed.added where state.people.updateValue(contact, forKey: contact.id) != nil {
                state.fault = "\(contact.called) was added and was there already."
            }
            for update in changed.updated {
                let contact = update.contact
                let before = state.people.updateValue(contact, forKey: contact.id)
                if before == nil { state.fault = "\(contact.called) was updated and had not been there." }
                let isSame = before?.isShown(as: contact) ?? false
                if update.keys == [.picture] && isSame { state.pictures[contact.id, default: 0] += 1 }
                if isSame && update.keys.isDisjoint(with: [.picture, .details, .presence]) {
                    state.fault = "\(contact.called) was updated and is as before."
                }
            }
            if changed.origin != .state {
                state.changes += changed.added.count + changed.removed.count + changed.updated.count
            }
        }
    }
}

extension NetworkContact {
    /// Whether all that is shown of the two is the same. When it was modified, by itself, is not told.
    fileprivate func isShown(as other: NetworkContact) -> Bool {
        relation == other.relation && asked == other.asked && accepted == other.accepted && notified == other.notified
            && isBlocked == other.isBlocked && mutedFrom == other.mutedFrom && mutedUntil == other.mutedUntil
            && isBot == other.isBot && given == other.given && family == other.family && nick == other.nick
            && title == other.title && jobTitle == other.jobTitle && company == other.company
            && status == other.status && picture == other.picture
    }
}
