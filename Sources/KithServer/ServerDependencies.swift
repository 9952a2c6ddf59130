import KithModel
import Logging

/// What a server gets from outside: its settings, the database, keys, gateways and the clock.
struct ServerDependencies: Sendable {
    let configuration: ServerConfiguration
    /// The database. Its transactions are measured.
    let database: any Database
    /// The same database without measurements, if several nodes can share it.
    let shared: PostgresDatabase?
    let discoveryKeys: DiscoveryKeys
    let gateways: MessageGateways
    let passkeyVerifier: (any PasskeyVerifier)?
    let issuerTransport: any IssuerTransport
    let clock: ServerClock
    let metrics: PrometheusRegistry
    let logger: Logger
    /// Measures the free part of the disk, from 0 to 1; nil if unknown. It throws if the database is not there any more.
    let freeDisk: @Sendable () throws -> Double?
    /// Called by each housekeeping, for maintenance of the database.
    let refresh: @Sendable () async throws -> Void
    /// Closes the database.
    let close: @Sendable () async throws -> Void
}
