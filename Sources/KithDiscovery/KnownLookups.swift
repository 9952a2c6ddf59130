import Kith
package import KithModel

/// All that is known of identities, with what a look asks of it kept beside it: so that a look through an unchanged book
/// costs nothing that grows with the book.
package struct KnownLookups: Sendable {
    private var lookups: [Identity: Lookup] = [:]
    /// Whom something is known of.
    package private(set) var identities: Set<Identity> = []
    /// Whose they are, as far as they are on the service.
    private(set) var accounts: [Identity: AccountID] = [:]
    /// How many were evaluated under each key.
    private var keys: [String: Int] = [:]
    /// Those whose bucket was never read under their key.
    private var unlooked: Set<Identity> = []
    /// When an app last handed them in.
    private var handedIn: [Identity: Timestamp] = [:]
    /// The matches in their order; nil if they are others since.
    private var sorted: [Discovery.Match]?

    /// What these say.
    package init(_ lookups: some Sequence<Lookup> = []) {
        for lookup in lookups { put(lookup) }
    }

    /// What is known of an identity.
    package subscript(identity: Identity) -> Lookup? { lookups[identity] }

    /// Whether something was evaluated under a key.
    package func holds(_ key: String) -> Bool { keys[key] != nil }

    /// Whether nothing was evaluated under another key.
    package func holdsOnly(_ key: String) -> Bool { keys.count == (holds(key) ? 1 : 0) }

    /// Whether each bucket was read under its key.
    package var isLooked: Bool { unlooked.isEmpty }

    /// What was evaluated under a key.
    package func under(_ key: String) -> [Lookup] { lookups.values.filter { $0.key == key } }

    /// What an app has handed in since.
    package func handedIn(since time: Timestamp) -> [Identity] { handedIn.filter { $0.value >= time }.map(\.key) }

    /// Those that are on the service, sorted.
    package mutating func matches() -> [Discovery.Match] {
        if let sorted { return sorted }
        let matches = accounts.map { Discovery.Match(identity: $0, account: $1) }.sorted { $0.identity < $1.identity }
        sorted = matches
        return matches
    }

    // MARK: Changing

    /// Lays down what is known of an identity now.
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

    /// Notes what an app has handed in, of what is known.
    package mutating func note(handedIn identities: [Identity], at time: Timestamp) {
        for identity in identities where lookups[identity] != nil {
            lookups[identity]?.handedIn = time
            handedIn[identity] = time
        }
    }

    /// Forgets what is no longer wanted.
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

    /// Takes over the very set that was wanted, if it is the same: comparing a set with itself costs nothing.
    package mutating func share(_ wanted: Set<Identity>) {
        if identities == wanted { identities = wanted }
    }

    /// Takes every bucket for one that was never read. Whose an identity was stays until it is.
    package mutating func forgetBuckets() {
        for identity in identities { lookups[identity]?.isLooked = false }
        unlooked = identities
    }

    private mutating func release(_ key: String) {
        let rest = keys[key, default: 1] - 1
        keys[key] = rest == 0 ? nil : rest
    }
}
