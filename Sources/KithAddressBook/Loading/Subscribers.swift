import Kith
import KithModel

/// The subscribers, without duplicates. They are not retained.
struct Subscribers {
    private struct Entry {
        weak var subscriber: (any AddressBookSubscriber)?
        let keepsCache: Bool
        /// Whether it has received the contacts. From then on it receives differences.
        var hasState: Bool
    }

    private var entries: [Entry] = []

    /// Adds a subscriber, or changes whether an existing one maintains a cache.
    mutating func add(_ subscriber: any AddressBookSubscriber, keepsCache: Bool) {
        let hasState = entries.contains { $0.subscriber === subscriber && $0.hasState }
        remove(subscriber)
        entries.append(Entry(subscriber: subscriber, keepsCache: keepsCache, hasState: hasState))
    }

    mutating func remove(_ subscriber: any AddressBookSubscriber) {
        entries.removeAll { $0.subscriber == nil || $0.subscriber === subscriber }
    }

    /// Notes that a subscriber receives the contacts, or a difference.
    ///
    /// - Returns: Whether it has the contacts already; nil if it is not subscribed.
    mutating func noteState(of subscriber: any AddressBookSubscriber) -> Bool? {
        guard let index = entries.firstIndex(where: { $0.subscriber === subscriber }) else { return nil }
        defer { entries[index].hasState = true }
        return entries[index].hasState
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
