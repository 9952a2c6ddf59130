import Foundation

/// Measures the processor time, on each side, of looking up an address book among a million registered identities.
func measureDiscovery(in folder: URL) async throws {
    let table = Table("what", "device", "server", "travels", "requests")
    let service = try await RegisteredService(1_000_000, folder: folder)
    try await Looking.register(2_500, at: service)
    let connecting = try await Looking(
        2_000, at: service, folder: folder.appending(path: "connecting"), isConnecting: true)
    try await connecting.row("first look that connects: 2,000 numbers among 1,000,000", into: table)
    let looking = try await Looking(2_000, at: service, folder: folder)
    try await looking.row("first look: 2,000 numbers among 1,000,000, all new", into: table)
    try await looking.row("again, nothing has changed", times: 50, into: table)
    try await looking.row("again, 1,000 have joined", times: 10, into: table) { try await service.join(1_000) }
    var count = 2_000
    try await looking.row("again, 20 numbers more in the book", times: 5, into: table) {
        count += 20
        try await looking.hold(count)
    }
    let keys = Table("what", "processor’s time", "each")
    try await service.measureEvaluation(2_000, into: keys)
    try await service.measureStart(into: keys)
}
