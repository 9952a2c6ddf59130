import Kith
package import KithModel

/// All known lookups, with indexes for the queries of a look. The indexes keep a look cheap if a large address book has
/// not changed.
package struct KnownLookups: Sendable {
    private var lookups: [Identity: Lookup] = [:]
    /// The identities with a stored lookup.
    package private(set) var identities: Set<Identity> = []
    /// The accounts of the identities that use the service.
    private(set) var accounts: [Identity: AccountID] = [:]
    /// The number of identities evaluated under each key.
    private var keys: [String: Int] = [:]
    /// The identities whose bucket has never been read under their key.
    private var unlooked: Set<Identity> = []
    /// The time when an app last passed each identity in.
    private var handedIn: [Identity: Timestamp] = [:]
    /// The matches, sorted; nil if they have changed since they were sorted.
    private var sorted: [Discovery.Match]?

    /// Creates a collection of these lookups.
    package init(_ lookups: some Sequence<Lookup> = []) {
        for lookup in lookups { put(lookup) }
    }

    /// The lookup of an identity.
    package subscript(identity: Identity) -> Lookup? { lookups[identity] }

    /// Whether any identity was evaluated under this key.
    package func holds(_ key: String) -> Bool { keys[key] != nil }

    /// Whether no identity was evaluated under another key.
    package func holdsOnly(_ key: String) -> Bool { keys.count == (holds(key) ? 1 : 0) }

    /// Whether every lookup's bucket has been read under its key.
    package var isLooked: Bool { unlooked.isEmpty }

    /// The identities evaluated under a key.
    package func under(_ key: String) -> [Lookup] { lookups.values.filter { $0.key == key } }

    /// The identities that an app has passed in since a time.
    package func handedIn(since time: Timestamp) -> [Identity] { handedIn.filter { $0.value >= time }.map(\.key) }

    /// The identities that use the service, sorted.
    package mutating func matches() -> [Discovery.Match] {
        if let sorted { return sorted }
        let matches = accounts.map { Discovery.Match(identity: $0, account: $1) }.sorted { $0.identity < $1.identity }
        sorted = matches
        return matches
    }

    // MARK: Changing

    /// Sets the lookup of an identity.
    package mutating func put(_ lookup: Lookup) {
        let (identity, before) = (lookup.identity, lookups.updateValue(lookup, forKey: lookup.identity))
        if before == nil { identities.insert(identity) }
        if before?.key != lookup.key {
            if let before { release(before.key) }
            keys[lookup.key, default: 0] += 1
        }
        if lookup.isLooked { unlooked.remove(identity) } else { unlooked.insert(identity) }
        if before?.match != lookup.match {
            accounts[identity] = lookup.match
            sorted = nil
        }
        handedIn[identity] = lookup.handedIn
    }

    /// Records which known identities an app has passed in.
    package mutating func note(handedIn identities: [Identity], at time: Timestamp) {
        for identity in identities where lookups[identity] != nil {
            lookups[identity]?.handedIn = time
            handedIn[identity] = time
        }
    }

    /// Removes the identities that are no longer wanted.
    package mutating func forget(_ identities: [Identity]) {
        for identity in identities {
            guard let before = lookups.removeValue(forKey: identity) else { continue }
            self.identities.remove(identity)
            release(before.key)
            unlooked.remove(identity)
            handedIn[identity] = nil
            if accounts.removeValue(forKey: identity) != nil { sorted = nil }
        }
    }

    /// Stores the wanted set itself if it equals the known one: comparing two sets with the same storage is free.
    package mutating func reuseStorage(of wanted: Set<Identity>) {
        if identities == wanted { identities = wanted }
    }

    /// Marks every bucket as never read. Each identity keeps its account until its bucket has been read.
    package mutating func forgetBuckets() {
        for identity in identities { lookups[identity]?.isLooked = false }
        unlooked = identities
    }

    private mutating func release(_ key: String) {
        let rest = keys[key, default: 1] - 1
        keys[key] = rest == 0 ? nil : rest
    }
}
