import Foundation
import KithServer
import Processes
import Testing

/// The databases that the contract holds for.
enum Backend: String, CustomTestStringConvertible {
    case memory
    case file
    /// A suite that uses it has the trait ``PostgresServerTrait``.
    case postgres

    /// SQLite.
    static let embedded: [Backend] = [.memory, .file]
    /// Those that are installed here.
    static let all = embedded + postgresIfInstalled
    /// Those with more than one connection, which are installed here.
    static let concurrent: [Backend] = [.file] + postgresIfInstalled

    private static let postgresIfInstalled: [Backend] = PostgresServer.missing == nil ? [.postgres] : []

    var testDescription: String { rawValue }

    /// Opens an empty database and hands it to `body`; what was in it is gone afterwards.
    func withDatabase(_ body: (any ImmediateDatabase) async throws -> Void) async throws {
        guard self == .postgres else { return try await withSQLite { database, _ in try await body(database) } }
        guard let server = PostgresServer.current else { throw InVain("The suite has not the trait postgresServer.") }
        var settings = PostgresSettings.patient
        // The tests of a suite run together, and the server has 300 connections.
        settings.connections = 8
        settings.writers = 7
        try await server.withDatabase(settings) { (database: PostgresDatabase) in try await body(database) }
    }

    /// Opens an empty SQLite database and hands it to `body`; what was in the file is gone afterwards.
    func withSQLite(_ body: (SQLiteDatabase, Folder) async throws -> Void) async throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        switch self {
        case .memory: try await body(.inMemory(random: RandomBytes(seed: 1)), folder)
        case .file:
            try await body(SQLiteDatabase(path: folder.database, random: RandomBytes(seed: 1)), folder)
        case .postgres: throw InVain("This is not SQLite.")
        }
    }
}

/// A folder for one test. It is deleted when nobody refers to it.
final class Folder: Sendable {
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString)")
        do { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) } catch {
            Issue.record(error)
        }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var database: String { url.appending(path: "kith.sqlite").path }
}
