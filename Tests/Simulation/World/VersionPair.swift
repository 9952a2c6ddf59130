import KithModel

/// The versions of clients and of their server: one cell of the published matrix.
package struct VersionPair: Hashable, Sendable, CustomStringConvertible {
    /// How many versions the clients are older than this one.
    package let client: Int
    /// How many versions the server is older than this one.
    package let server: Int

    /// All cells, row by row.
    package static let all: [VersionPair] = Version.window.indices.flatMap { client in
        Version.window.indices.map { VersionPair(client: client, server: $0) }
    }

    private init(client: Int, server: Int) {
        (self.client, self.server) = (client, server)
    }

    /// Reads two numbers such as `3,0`; nil if they are none of the matrix.
    package init?(_ text: String) {
        guard let pair = Self.all.first(where: { "\($0.client),\($0.server)" == text }) else { return nil }
        self = pair
    }

    package var description: String { "clients \(Self.name(client)), server \(Self.name(server))" }

    /// What a version is called in the matrix.
    package static func name(_ older: Int) -> String { older == 0 ? "n" : "n−\(older)" }

    var clientVersion: Version { Version.window[client] }
    var serverVersion: Version { Version.window[server] }

    /// What to add to the command that replays a seed.
    var replayOptions: String { " --versions \(client),\(server)" }

    /// Runs the world of a seed with these versions. Every second device is of the newest version.
    ///
    /// - Returns: What the devices of the client version have exchanged with the server.
    /// - Throws: The law that does not hold.
    package func run(seed: UInt64) async throws -> Exchange {
        let world = try World(seed: seed, versions: self)
        do {
            try await world.run()
        } catch let error as LawBroken {
            var broken = error
            broken.replayOptions = replayOptions
            throw broken
        }
        return world.exchange
    }
}
