package import Foundation
package import KithModel

/// Stores the operator's programmes, and pauses them. Without a programme, sharing is off.
package struct ProgrammeService: Sendable {
    private let database: any Database

    /// A service over `database`.
    package init(database: any Database) { self.database = database }

    /// What happens to the picture of a programme that is stored.
    package enum PictureChange: Hashable, Sendable {
        /// An earlier picture stays.
        case keep
        case set(ProgrammePicture)
        case remove
    }

    /// Stores the programme of a file.
    ///
    /// - Parameters:
    ///   - file: The JSON document.
    ///   - picture: What happens to the picture of the programme.
    ///   - replacing: Whether to replace a programme with the same name. Whether it is paused does not change.
    ///   - now: The server's time.
    /// - Returns: The stored programme.
    /// - Throws: ``ServerError``: `malformed` with the path of what is wrong; `conflict` if there is a programme with the
    ///   name and it is not to be replaced.
    package func create(
        _ file: Data, picture: PictureChange = .keep, replacing: Bool = false, at now: Timestamp
    ) async throws -> ProgrammeRow {
        let programme = try ProgrammeFile.read(file)
        guard let json = String(data: file, encoding: .utf8) else {
            throw ServerError(.malformed, "The file is not in UTF-8.")
        }
        return try await database.write { transaction in
            if !replacing, try ProgrammeRow.stored(programme.name, in: transaction) != nil {
                throw ServerError(
                    .conflict, "There is a programme “\(programme.name)”. Say so if it is to be replaced.")
            }
            try ProgrammeRow.write(programme, json, at: now, in: transaction)
            switch picture {
            case .keep: break
            case .set(let picture): try picture.write(to: programme.name, in: transaction)
            case .remove: try ProgrammePicture.remove(of: programme.name, in: transaction)
            }
            return try Self.find(programme.name, in: transaction)
        }
    }

    /// The programmes, sorted by their names.
    package func list() async throws -> [ProgrammeRow] {
        try await database.read { try ProgrammeRow.all(in: $0) }
    }

    /// The programme with this name.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is none.
    package func show(_ name: String) async throws -> ProgrammeRow {
        try await database.read { try Self.find(name, in: $0) }
    }

    /// The picture of a programme; nil if it has none.
    package func picture(of name: String) async throws -> ProgrammePicture? {
        try await database.read { try ProgrammePicture.find(name, in: $0) }
    }

    /// Pauses a programme, or ends its pause. Its links open all the same.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is none.
    package func setPaused(_ isPaused: Bool, _ name: String, at now: Timestamp) async throws -> ProgrammeRow {
        try await database.write { transaction in
            _ = try ProgrammeRow.setPaused(isPaused, name, at: now, in: transaction)
            return try Self.find(name, in: transaction)
        }
    }

    private static func find(_ name: String, in transaction: any Transaction) throws -> ProgrammeRow {
        if let row = try ProgrammeRow.stored(name, in: transaction) { return row }
        throw ServerError(
            .notFound, "There is no programme “\(name)”. `kith admin programme list` shows those there are.")
    }
}
