import Foundation
import KithModel
import KithServer
import Synchronization

/// A PostgreSQL database in which each simulated server has a schema of its own.
///
/// Schemas are cheaper than databases: they need no connection of their own to be created, and no files to be copied.
package final class PostgresSchemas: Sendable {
    private let address: String
    /// Creates and removes the schemas.
    private let control: PostgresDatabase
    private let taken = Mutex(0)

    /// Connects to the database.
    ///
    /// - Parameter address: The address in libpq's form `key=value`. Its user must be allowed to create schemas.
    /// - Throws: ``ServerError`` if the database cannot be reached.
    package init(_ address: String) throws {
        self.address = address
        var random = SplitMix64(seed: 0)
        var settings = PostgresSettings.copying
        // Each schema has a name of its own, so no statement runs twice.
        settings.preparesStatements = false
        control = try PostgresDatabase(
            copying: ServerID(.version7(time: Timestamp(milliseconds: 0), using: &random)), to: address,
            settings: settings)
        _ = try control.readNow { try $0.query("SELECT 1") }
    }

    /// Creates a schema, and returns its name.
    func create() throws -> String {
        let number = taken.withLock { taken in
            taken += 1
            return taken
        }
        let name = "simulation_\(ProcessInfo.processInfo.processIdentifier)_\(number)"
        try control.writeNow { try $0.execute("CREATE SCHEMA \(name)") }
        return name
    }

    /// The address at which a schema is found before all others.
    func address(of schema: String) -> String { "\(address) options='-c search_path=\(schema)'" }

    /// Removes a schema with everything in it. If it is still in use, it stays.
    func remove(_ schema: String) {
        try? control.writeNow { try $0.execute("DROP SCHEMA IF EXISTS \(schema) CASCADE") }
    }
}
