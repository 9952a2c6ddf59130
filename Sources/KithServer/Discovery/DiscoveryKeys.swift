package import Foundation
import KithModel
import OPRF
import Synchronization

/// The secret keys of the oblivious function. They are in a file beside the database, never in the database: a stolen
/// database alone cannot be used to try numbers.
///
/// The file is rewritten completely, and read again when it has changed, so that `kith admin` can add a key to a
/// running server.
package final class DiscoveryKeys: Sendable {
    private struct State {
        var keys: [DiscoveryKey] = []
        /// Identifies the version of the file that was read; nil if it has to be read again.
        var stamp: FileStamp?
    }

    private let file: URL?
    private let state = Mutex(State())

    /// Keys in memory only: for tests, and databases in memory.
    package init() { file = nil }

    /// The keys in a file. If the file does not exist, the first use creates it with one key.
    package init(file: URL) { self.file = file }

    /// Whether they are in a file, so that the operator can put a lost key back.
    var areInFile: Bool { file != nil }

    /// All keys, oldest first; there is at least one.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if the file cannot be read or created, or if others may read it.
    package func all() throws -> [DiscoveryKey] {
        try state.withLock { state in
            guard let file else {
                if state.keys.isEmpty { state.keys = [Self.made()] }
                return state.keys
            }
            let stamp = FileStamp(file)
            if let stamp, stamp == state.stamp { return state.keys }
            let stored = try DiscoveryKeyFile(file)
            if stored.keys.isEmpty { try stored.change { $0.isEmpty ? [Self.made()] : $0 } }
            // The stamp is older than what was read. If the file was replaced in between, the next use reads it again.
            (state.keys, state.stamp) = (stored.keys, stamp)
            return state.keys
        }
    }

    /// The names of the existing keys. This creates no key.
    package func names() throws -> Set<String> {
        guard let file else { return state.withLock { Set($0.keys.map(\.id)) } }
        return Set(try DiscoveryKeyFile(file).keys.map(\.id))
    }

    /// Adds a new key, which will become the current key.
    package func add() throws -> DiscoveryKey {
        _ = try all()
        let key = Self.made()
        try change { $0 + [key] }
        return key
    }

    /// Deletes keys permanently.
    package func remove(_ ids: Set<String>) throws {
        if ids.isEmpty { return }
        try change { keys in keys.filter { !ids.contains($0.id) } }
    }

    private func change(_ body: @escaping ([DiscoveryKey]) -> [DiscoveryKey]) throws {
        try state.withLock { state in
            guard let file else {
                state.keys = body(state.keys)
                return
            }
            let stored = try DiscoveryKeyFile(file)
            try stored.change(body)
            // The next use reads the file, which another process may have changed meanwhile.
            (state.keys, state.stamp) = (stored.keys, nil)
        }
    }

    private static func made() -> DiscoveryKey {
        DiscoveryKey(id: RandomBytes.system.bytes(9).base64URL, secret: PRFKey())
    }
}

/// Distinguishes versions of a file.
private struct FileStamp: Hashable {
    private let number: Int?
    private let modified: Date?

    init?(_ file: URL) {
        let path = file.path(percentEncoded: false)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        number = (attributes[.systemFileNumber] as? NSNumber)?.intValue
        modified = attributes[.modificationDate] as? Date
    }
}
