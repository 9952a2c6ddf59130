import Foundation
package import KithModel

/// A backup of a server's SQLite file.
package struct SQLiteBackup: Sendable {
    /// The size of the file.
    package let bytes: Int
    /// The number of records.
    package let records: Int
    /// The number of accounts.
    package let accounts: Int
    /// The server whose data it is.
    package let server: ServerID

    /// Makes a backup of the database at `path`, whether its server runs or not. Devices go on writing meanwhile.
    ///
    /// The backup is written beside `file`, checked, and renamed. So a damaged database never replaces a good backup.
    ///
    /// - Parameters:
    ///   - path: The server's database.
    ///   - file: The backup: one file, which only its owner can read.
    ///   - replacing: Whether a file of this name is replaced.
    ///   - progress: Shows what is done.
    /// - Returns: What the backup contains.
    /// - Throws: ``ServerError`` with the code `notFound` if there is no database, `conflict` if the file exists, `busy` if the
    ///   same command can succeed later, `malformed` if the file cannot be a backup, ``ServerError/damaged``,
    ///   ``ServerError/diskFull``, or ``ServerError/cannotOpen``.
    package static func make(
        of path: String, at file: String, replacing: Bool, progress: CopyProgress = CopyProgress()
    ) throws -> SQLiteBackup {
        progress.turn(to: "Copying the database")
        let database = try open(path)
        try checkName(file, path, replacing: replacing)
        let draft = try BackupDraft.make(for: file)
        do {
            try translating(path) { try database.backup(to: draft.path) }
            progress.turn(to: "Checking the backup")
            let backup = try translating(path) { try SQLiteBackup(checking: draft.path, of: path) }
            try checkName(file, path, replacing: replacing)
            try draft.finish(replacing: replacing)
            return backup
        } catch {
            draft.discard()
            throw error
        }
    }

    /// Opens the server's database.
    ///
    /// - Throws: ``ServerError`` as ``make(of:at:replacing:progress:)`` does.
    static func open(_ path: String) throws -> SQLiteDatabase {
        try translating(path) { try SQLiteDatabase(besideServer: path) }
    }

    /// Checks that the backup and its draft may have these names.
    private static func checkName(_ file: String, _ path: String, replacing: Bool) throws {
        guard !isOfServer(file, path), !isOfServer(file + ".part", path) else {
            throw ServerError(.malformed, "\(file) is a file of the server. Choose another name for the backup.")
        }
        guard let status = try? FileStatus(at: file) else { return }
        guard status.isPlainFile else {
            throw ServerError(.malformed, "\(file) is not a file. Choose another name for the backup.")
        }
        guard replacing else { throw exists(file) }
    }

    /// Whether a name leads to the server's database at `path`, or to a file beside it.
    private static func isOfServer(_ file: String, _ path: String) -> Bool {
        guard let identity = try? FileStatus(at: file).identity else { return false }
        return ["", "-wal", "-shm", "-journal", ".lock", ".incarnation", ".discovery-key"].contains {
            (try? FileStatus(at: path + $0).identity) == identity
        }
    }

    /// Checks all pages of a backup, and counts what it contains.
    private init(checking file: String, of path: String) throws {
        (records, accounts, server) = try SQLiteDatabase.readBackup(file) { transaction in
            guard try StructureCheck.faults(in: transaction).isEmpty else { throw Self.damage(path) }
            guard let server = try Meta.server(in: transaction) else { throw Self.damage(path) }
            return (
                try transaction.count("SELECT count(*) FROM record"),
                try transaction.count("SELECT count(*) FROM account"), server
            )
        }
        bytes = (try FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber)?.intValue ?? 0
    }

    // MARK: Errors

    /// Runs `body`, and says what to do if SQLite fails.
    private static func translating<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as ServerError {
            guard let cause = error.cause as? SQLiteFailure else { throw error }
            throw failure(path, cause, error)
        }
    }

    private static func failure(_ path: String, _ cause: SQLiteFailure, _ error: ServerError) -> ServerError {
        if cause.kind.isDamage { return damage(path, cause) }
        if cause.hasNoRoom { return fullDisk("the backup", cause) }
        if cause.isLocked { return ServerError(.busy, "\(path) is locked. Try again soon.", cause: cause) }
        return ServerError(ServerError.cannotOpen, error.sentence, cause: cause)
    }

    private static func damage(_ path: String, _ cause: SQLiteFailure? = nil) -> ServerError {
        ServerError(
            ServerError.damaged,
            "\(path) is damaged. Stop the server, and restore a backup.",
            cause: cause)
    }

    /// The error if there is a file that is not to be replaced.
    static func exists(_ file: String) -> ServerError {
        ServerError(.conflict, "\(file) exists. To replace it, add --force.")
    }

    /// The error if the disk of the backup has no room for `what`.
    static func fullDisk(_ what: String, _ cause: SQLiteFailure? = nil) -> ServerError {
        ServerError(
            ServerError.diskFull, "The disk has no room for \(what). No backup was made or replaced.", cause: cause)
    }
}

extension ServerError {
    /// The stored data is damaged. No answer to a request has this code.
    package static let damaged = Problem.Code(rawValue: "damaged")
    /// The disk has no room for a file of the operator. No answer to a request has this code.
    package static let diskFull = Problem.Code(rawValue: "diskFull")
}
