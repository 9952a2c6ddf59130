import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Copies the pages in the log of a SQLite file to the file, when ``CheckpointPlan`` says so.
final class Checkpoints: Sendable {
    private let path: String
    private let configuration: Configuration
    private let plan = Mutex(CheckpointPlan())
    private let thread = DispatchQueue(label: "checkpoints")
    /// The connection that copies while others write; nil until it is first needed.
    private let connection = Mutex<DatabaseQueue?>(nil)

    /// How long the connection that writes waits for those who read, in milliseconds.
    private static let patience: CInt = 20

    /// How long it waits otherwise.
    private var usualPatience: CInt {
        if case .timeout(let seconds) = configuration.busyMode { CInt(seconds * 1_000) } else { 0 }
    }

    /// Opens no connection yet.
    init(path: String, _ configuration: Configuration) {
        self.path = SQLiteFile.existing(path)
        self.configuration = configuration
    }

    /// Copies the log of this connection from now on. SQLite would do it itself, in the commit after which the log has a
    /// thousand pages (`wal_autocheckpoint`). This object must outlive the connection.
    func observe(_ writer: GRDB.Database) {
        let itself = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            writer.sqliteConnection,
            { context, connection, _, pages in
                if let context {
                    let checkpoints = Unmanaged<Checkpoints>.fromOpaque(context).takeUnretainedValue()
                    checkpoints.committed(Int(pages), on: connection)
                }
                // The commit was made, whatever becomes of the copy.
                return SQLITE_OK
            }, itself)
    }

    /// Waits until no copy runs. The files can be replaced when this object and the connection that writes are gone: a
    /// copy that ends later would delete the log of the new file.
    func finish() { thread.sync {} }

    private func committed(_ pages: Int, on writer: OpaquePointer?) {
        let step = plan.withLock { $0.committed(pages: pages) }
        switch step {
        case .none: break
        case .beside: thread.async { self.end(.beside, copied: try? self.copy()) }
        case .now: end(.now, copied: Self.copy(by: writer, SQLITE_CHECKPOINT_PASSIVE))
        case .waiting:
            sqlite3_busy_timeout(writer, Self.patience)
            end(.waiting, copied: Self.copy(by: writer, SQLITE_CHECKPOINT_RESTART))
            sqlite3_busy_timeout(writer, usualPatience)
        }
    }

    /// Copies the log by a connection, and returns how many of its pages are copied; nil if that fails.
    private static func copy(by connection: OpaquePointer?, _ mode: CInt) -> Int? {
        var (all, copied): (CInt, CInt) = (0, 0)
        let code = sqlite3_wal_checkpoint_v2(connection, nil, mode, &all, &copied)
        return code == SQLITE_OK ? Int(copied) : nil
    }

    /// Copies the log, and returns how many of its pages are copied. It does not wait for readers or writers.
    private func copy() throws -> Int {
        try connection.withLock { connection in
            let open = try connection ?? DatabaseQueue(path: path, configuration: configuration)
            connection = open
            return try open.inDatabase { try $0.checkpoint(.passive).checkpointedFrameCount }
        }
    }

    private func end(_ step: CheckpointPlan.Step, copied: Int?) {
        plan.withLock { $0.ended(step, copied: copied) }
    }
}
