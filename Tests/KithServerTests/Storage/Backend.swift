import Foundation
import KithServer
import Testing

/// The databases that the contract holds for.
enum Backend: String, CaseIterable, CustomTestStringConvertible {
    case memory
    case file

    var testDescription: String { rawValue }

    /// Opens an empty database and hands it to `body`; what was in the file is gone afterwards.
    func withDatabase(_ body: (SQLiteDatabase, Folder) async throws -> Void) async throws {
        let folder = try Folder()
        defer { folder.remove() }
        switch self {
        case .memory: try await body(.inMemory(random: Randomness(seed: 1).bytes), folder)
        case .file:
            try await body(SQLiteDatabase(path: folder.database, random: Randomness(seed: 1).bytes), folder)
        }
    }
}

/// A folder for one test.
struct Folder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    var database: String { url.appending(path: "kith.sqlite").path }

    func remove() { try? FileManager.default.removeItem(at: url) }
}
