import Kith
import KithModel

/// The subscribers, without duplicates. They are not retained.
struct Subscribers {
    private struct Entry {
        weak var subscriber: (any AddressBookSubscriber)?
        let keepsCache: Bool
    }

    private var entries: [Entry] = []

    /// Adds a subscriber, or changes whether an existing one maintains a cache.
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

    /// First the subscribers that maintain caches, then the others; each group in the order of subscription.
    var inOrder: [any AddressBookSubscriber] {
        entries.filter(\.keepsCache).compactMap(\.subscriber)
            + entries.filter { !$0.keepsCache }.compactMap(\.subscriber)
    }
}
