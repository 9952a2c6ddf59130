public import Kith
import KithAddressBook
public import KithModel

#if canImport(OPRF)
    import OPRF
#endif

extension KithClient {
    /// Who of the address book is on the service.
    ///
    /// ``KithClient/run()`` looks by itself, if that is wished, from when this is first asked for: ask for it at each start.
    public var discovery: Discovery {
        let addressBook = addressBook
        return parts.part {
            Discovery(engine: engine, addressBook: addressBook, prf: configuration.obliviousPRF ?? Discovery.ownPRF)
        }
    }
}

extension KithConfiguration {
    /// What looks for people without showing their numbers; nil for libsodium where it is part of the package, as on
    /// Linux. Elsewhere an app hands one in: without it there is no ``Discovery``.
    public var obliviousPRF: (any ObliviousPRF)? {
        get { modules[DiscoverySettings()].obliviousPRF }
        set { modules[DiscoverySettings()].obliviousPRF = newValue }
    }
}

/// How discovery is set up.
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
