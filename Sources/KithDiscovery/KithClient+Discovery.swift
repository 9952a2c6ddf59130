public import Kith
import KithAddressBook
public import KithModel

#if canImport(OPRF)
    import OPRF
#endif

extension KithClient {
    /// Finds which contacts of the address book use the service.
    ///
    /// After ``Discovery/setEnabled(_:)``, `KithClient.run()` looks automatically, but only if the app has used this
    /// property at least once since its start.
    public var discovery: Discovery {
        let addressBook = addressBook
        return parts.part {
            Discovery(engine: engine, addressBook: addressBook, prf: configuration.obliviousPRF ?? Discovery.ownPRF)
        }
    }
}

extension KithConfiguration {
    /// The oblivious function; nil for libsodium, which the package includes on Linux. On other platforms, the app
    /// passes in its own; without one, ``Discovery`` throws `unsupported`.
    public var obliviousPRF: (any ObliviousPRF)? {
        get { modules[DiscoverySettings()].obliviousPRF }
        set { modules[DiscoverySettings()].obliviousPRF = newValue }
    }
}

/// The configuration of discovery.
private struct DiscoverySettings: Sendable {
    var obliviousPRF: (any ObliviousPRF)?
}

extension Discovery {
    /// The oblivious function that comes with the package.
    fileprivate static var ownPRF: (any ObliviousPRF)? {
        #if canImport(OPRF)
            RistrettoPRF()
        #else
            nil
        #endif
    }
}
