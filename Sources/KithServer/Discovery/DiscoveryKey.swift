package import KithModel
package import OPRF

/// A secret key of the oblivious function, with its name.
package struct DiscoveryKey: Sendable {
    /// The name of the key for devices and the database.
    package let id: String
    /// The secret.
    package let secret: PRFKey

    /// The output of an identity under this key; nil for an identity without an output. No such identity is known.
    package func output(of identity: Identity) -> DiscoveryOutput? {
        secret.output(of: identity.input).flatMap { DiscoveryOutput($0) }
    }
}
