package import KithModel

/// The result of discovery for one identity.
package struct Lookup: Hashable, Sendable {
    package var identity: Identity
    /// The key under which the identity was evaluated.
    package var key: String
    package var output: DiscoveryOutput
    /// Whether the identity was looked for under the key: its bucket was read, or a filter has shown that it is not there.
    package var isLooked: Bool
    /// The account with this identity; nil if none is known.
    package var match: AccountID?
    /// When an app last passed the identity in; nil if it is only in the address book.
    package var handedIn: Timestamp?

    package init(
        identity: Identity, key: String, output: DiscoveryOutput, isLooked: Bool = false, match: AccountID? = nil
    ) {
        (self.identity, self.key, self.output) = (identity, key, output)
        (self.isLooked, self.match) = (isLooked, match)
    }
}
