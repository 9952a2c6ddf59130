import Foundation
import KithModel
import Synchronization

/// Checks that the names of a SQLite file and its log still lead to the files that are open.
///
/// If a file is deleted, moved or replaced, SQLite goes on with the one that it has open, and reports nothing. Nobody would find
/// those edits again, and a new connection would open the other file. So the log then fails: nothing is written or answered
/// until the database is opened again, even if the file comes back.
final class FileCheck: Sendable {
    /// A file that is open.
    private struct OpenFile {
        let path: String
        private let identity: FileStatus.Identity

        /// The file at `path`; nil if it cannot be seen.
        init?(at path: String) {
            guard let status = try? FileStatus(at: path) else { return nil }
            (self.path, identity) = (path, status.identity)
        }

        /// Whether its name leads to another file, or to none. If the system cannot tell, it does not.
        var isElsewhere: Bool {
            do throws(POSIXError) {
                return try FileStatus(at: path).identity != identity
            } catch {
                return error.code == .ENOENT || error.code == .ENOTDIR
            }
        }
    }

    private struct State {
        let files: [OpenFile]
        let log: DurableLog
    }

    private let path: String
    /// Nil until the files are open.
    private let state = Mutex<State?>(nil)

    /// - Parameter path: The database file.
    init(of path: String) { self.path = path }

    /// Remembers the files, which are open now. `log` fails if one of them is found missing.
    func begin(failing log: DurableLog) {
        let files = [path, path + "-wal"].compactMap { OpenFile(at: $0) }
        state.withLock { $0 = State(files: files, log: log) }
    }

    /// Checks the files. Before they are open, it does nothing.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if one of them was deleted, moved or replaced.
    func run() throws {
        guard let state = self.state.withLock({ $0 }), let moved = state.files.first(where: \.isElsewhere) else {
            return
        }
        let failure = ServerError(
            .busy,
            """
            The server's database file was moved or replaced. Nothing is read or written until it is put back, and the server \
            is started again.
            """, retryAfter: .seconds(60), cause: MovedFile(path: moved.path))
        state.log.fail(failure)
        throw failure
    }
}
