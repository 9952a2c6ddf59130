import Foundation
import GRDB
import Kith
import KithModel

/// One device with a real client over a database that survives restarts.
final class AccountsDevice {
    let index: Int
    let name: String
    let credentials = InMemoryCredentialStore()
    /// Where the device crashes. A crash is over when the client is restarted.
    let crash = Shared(Crash.Point.none)
    private let queue: DatabaseQueue
    private let internet: SimulatedInternet
    private let random: RandomSource
    /// The address that is set as the server's.
    private(set) var address: URL
    private(set) var client: KithClient

    init(_ index: Int, _ name: String, address: URL, on internet: SimulatedInternet, seed: UInt64) throws {
        (self.index, self.name, self.address, self.internet) = (index, name, address, internet)
        queue = try EmptyReplica.queue()
        random = RandomSource(SplitMix64(world: seed))
        client = try Self.open(queue, index, credentials, random, crash, address, nil, internet)
    }

    /// Restarts the client with this address of the server.
    func restart(at address: URL) throws {
        self.address = address
        crash.now = .none
        client = try Self.open(queue, index, credentials, random, crash, address, nil, internet)
    }

    /// A pinned client.
    func client(in scope: AccountScope, at address: URL? = nil) throws -> KithClient {
        try Self.open(queue, index, credentials, random, crash, address ?? self.address, scope, internet)
    }

    private static func open(
        _ queue: DatabaseQueue, _ index: Int, _ credentials: InMemoryCredentialStore, _ random: RandomSource,
        _ crash: Shared<Crash.Point>, _ address: URL, _ scope: AccountScope?, _ internet: SimulatedInternet
    ) throws -> KithClient {
        let dependencies = Dependencies(now: { internet.time }, random: random)
        return try KithClient(
            replica: try Replica(.open(queue), dependencies: dependencies, faults: Crash.faults(crash), scope: scope),
            transport: internet.line(from: index, to: address), server: address,
            credentials: credentials)
    }
}
