package import KithModel
package import Logging

/// What a server gets from outside: its settings, the database, keys, gateways and the clock.
package struct ServerDependencies: Sendable {
    let configuration: ServerConfiguration
    /// The database, and what its kind needs besides transactions.
    let opened: ServerDatabase
    /// The database. Its transactions are measured.
    let database: any Database
    let discoveryKeys: DiscoveryKeys
    let gateways: MessageGateways
    let issuerTransport: any IssuerTransport
    let clock: ServerClock
    let metrics: PrometheusRegistry
    let logger: Logger
    let passkeyVerifier: (any PasskeyVerifier)?

    /// - Parameters:
    ///   - configuration: The settings. The path of the database is not used.
    ///   - opened: The database of the server.
    ///   - discoveryKeys: The secret keys of discovery.
    ///   - gateways: Deliver the messages.
    ///   - issuerTransport: Calls OpenID Connect issuers; by HTTP if nil.
    ///   - clock: The source of the current time.
    ///   - metrics: The registry for the metrics.
    ///   - logger: The logger of the server.
    ///   - passkeyVerifier: Verifies passkeys; nil for none.
    package init(
        _ configuration: ServerConfiguration, _ opened: ServerDatabase, discoveryKeys: DiscoveryKeys,
        gateways: MessageGateways = .memory, issuerTransport: (any IssuerTransport)? = nil,
        clock: ServerClock = .system, metrics: PrometheusRegistry = PrometheusRegistry(), logger: Logger = .silent,
        passkeyVerifier: (any PasskeyVerifier)? = nil
    ) {
        self.configuration = configuration
        self.opened = opened
        database = MeasuredDatabase(opened.database, metrics)
        self.discoveryKeys = discoveryKeys
        self.gateways = gateways
        self.issuerTransport = issuerTransport ?? CurlIssuerTransport()
        self.clock = clock
        self.metrics = metrics
        self.logger = logger.bounded
        self.passkeyVerifier = passkeyVerifier
    }
}
