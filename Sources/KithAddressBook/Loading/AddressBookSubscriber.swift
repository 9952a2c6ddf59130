public import Kith
import KithModel

/// Who wants to hear, on the main actor, what becomes of the address book.
///
/// ```swift
/// final class ContactsScreen: AddressBookSubscriber {
///     func addressBookDidChange(_ changed: Changed<AddressBook.Contact>) { table.reload() }
///     func addressBookDidFailToLoad(_ failures: [AddressBook.SourceStatus]) { banner.show(failures) }
/// }
/// ```
@MainActor public protocol AddressBookSubscriber: AnyObject, Sendable {
    /// The contacts have changed, and can be read as they are now.
    ///
    /// The first time, when the book has been loaded, with all of them and the origin `state`, even if there are none.
    /// Later only if there is a difference.
    func addressBookDidChange(_ changed: Changed<AddressBook.Contact>)

    /// A load has failed: these sources could not be read.
    ///
    /// Their contacts are shown as they were when they were last read. They are read again the next time that the
    /// contacts are asked for, after a pause of ``AddressBook/longestPause`` at most.
    func addressBookDidFailToLoad(_ failures: [AddressBook.SourceStatus])
}

/// Those who have subscribed, each once, none of them retained.
struct Subscribers {
    private struct Entry {
        weak var subscriber: (any AddressBookSubscriber)?
        let keepsCache: Bool
    }

    private var entries: [Entry] = []

    /// Adds one who is not there yet; one who is there now keeps a cache or not.
    mutating func add(_ subscriber: any AddressBookSubscriber, keepsCache: Bool) {
        remove(subscriber)
        entries.append(Entry(subscriber: subscriber, keepsCache: keepsCache))
    }

    mutating func remove(_ subscriber: any AddressBookSubscriber) {
        entries.removeAll { $0.subscriber == nil || $0.subscriber === subscriber }
    }

    func contains(_ subscriber: any AddressBookSubscriber) -> Bool {
        entries.contains { $0.subscriber === subscriber }
    }

    /// Those who keep caches, then the others; each in the order of their coming.
    var inOrder: [any AddressBookSubscriber] {
        entries.filter(\.keepsCache).compactMap(\.subscriber)
            + entries.filter { !$0.keepsCache }.compactMap(\.subscriber)
    }
}
