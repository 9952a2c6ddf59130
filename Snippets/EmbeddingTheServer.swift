import Foundation
import Kith
import KithServer

// A server for the app or its tests: in this process, in memory, at a free port.
var configuration = ServerConfiguration()
configuration.port = 0
configuration.limits.newSessions = Rate(perSecond: 10, burst: 100)
let server = KithServer(configuration, database: try SQLiteDatabase.inMemory())

// It serves until it is stopped. Its address is known as soon as it listens.
let (addresses, listening) = AsyncStream.makeStream(of: URL.self)
let serving = Task { try await server.run { listening.yield($0) } }

for await address in addresses {
    let client = try KithClient(KithConfiguration(server: address, storage: .inMemory))
    try await client.lists.create("Groceries")
    try await client.syncNow()
    print("In sync with \(address): \(try await client.status().waiting) edits wait.")
    break
}

// Running requests are finished, then the database is closed.
await server.stop()
try await serving.value
