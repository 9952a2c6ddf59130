import Kith
import KithAddressBook
import KithModel
import Synchronization

/// Follows an address book by what it tells, and keeps one of its own from that.
///
/// Each difference must come once: what is added was not there, what is modified
/// or removed was, and what is modified is different now.
struct BookWitness: Sendable {
    private let notes = Notes()
    private let listening: Task<Void, Never>

    init(_ book: AddressBook) {
        let (notes, changes) = (notes, book.changes())
        listening = Task {
            for await changed in changes { notes.take(changed) }
        }
    }

    /// What was heard so far adds up to these.
    var contacts: [AddressBook.Contact] { notes.state.withLock { Array($0.contacts.values) } }

    /// Stops listening once the notes agree with the book.
    ///
    /// - Returns: How many differences were heard.
    /// - Throws: ``Failure`` if they do not come to agree, or something was heard that may not be.
    func finish(like book: AddressBook) async throws -> Int {
        let notes = notes
        try await Limit("What was heard of the address book adds up to what it shows").until {
            let shown = try await book.loaded()
            return notes.state.withLock { state in
                state.contacts.count == shown.count && shown.allSatisfy { state.contacts[$0.id] == $0 }
            }
        }
        listening.cancel()
        await listening.value
        let (count, fault) = notes.state.withLock { ($0.differences, $0.fault) }
        if let fault { throw Failure(.failed, "demo", "Something was heard that may not be: \(fault)") }
        return count
    }
}

/// What a witness has heard.
private final class Notes: Sendable {
    struct State {
        var contacts: [AddressBook.Contact.ID: AddressBook.Contact] = [:]
        var differences = 0
        var fault: String?
    }

    let state = Mutex(State())

    func take(_ changed: Changed<AddressBook.Contact>) {
        state.withLock { state in
            for contact in changed.removed where state.contacts.removeValue(forKey: contact.id) == nil {
                state.fault = "“\(contact.displayName)” was removed and had not been there."
            }
            for contact in changed.added where state.contacts.updateValue(contact, forKey: contact.id) != nil {
                state.fault = "“\(contact.displayName)” was added and was there already."
            }
            for contact in changed.modified {
                let before = state.contacts.updateValue(contact, forKey: contact.id)
                if before == nil || before == contact { state.fault = "“\(contact.displayName)” was not modified." }
            }
            state.differences += changed.added.count + changed.removed.count + changed.modified.count
        }
    }
}
