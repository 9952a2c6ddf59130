package import Foundation
package import KithModel
package import OPRF
import Synchronization

/// A secret key of the oblivious function, by its name.
package struct DiscoveryKey: Sendable {
    /// The name, by which devices and the database know it.
    package let id: String
    /// The secret.
    package let secret: PRFKey

    /// What an identity is under this key; nil for one that has no output, of which nobody knows any.
    package func output(of identity: Identity) -> DiscoveryOutput? {
        secret.output(of: identity.input).flatMap { DiscoveryOutput($0) }
    }
}

/// The secret keys of the oblivious function, in a file beside the database, never in it: whoever steals the database
/// alone cannot try numbers against it.
///
/// The file is rewritten as a whole, and read again when it is another, so that `kith admin` can add a key to a
/// server that runs.
package final class DiscoveryKeys: Sendable {
    private struct State {
        var keys: [DiscoveryKey] = []
        /// Which file was read.
        var stamp: FileStamp?
    }

    private let file: URL?
    private let state = Mutex(State())

    /// Keys in memory only: for tests, and databases in memory.
    package init() { file = nil }

    /// The keys in a file. It is made with a first key when somebody asks, if it is not there.
    package init(file: URL) { self.file = file }

    /// All keys, oldest first; never none.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if the file cannot be read or made, or others may read it.
    package func all() throws -> [DiscoveryKey] {
        try state.withLock { state in
            guard let file else {
                if state.keys.isEmpty { state.keys = [Self.made()] }
                return state.keys
            }
            if let stamp = FileStamp(file), stamp == state.stamp { return state.keys }
            let stored = try DiscoveryKeyFile(file)
            if stored.keys.isEmpty { try stored.change { $0.isEmpty ? [Self.made()] : $0 } }
            (state.keys, state.stamp) = (stored.keys, FileStamp(file))
            return state.keys
        }
    }

    /// The names of the keys that there are; none is made.
    package func names() throws -> Set<String> {
        guard let file else { return state.withLock { Set($0.keys.map(\.id)) } }
        return Set(try DiscoveryKeyFile(file).keys.map(\.id))
    }

    /// Adds a new key, which is to become the current one.
    package func add() throws -> DiscoveryKey {
        _ = try all()
        let key = Self.made()
        try change { $0 + [key] }
        return key
    }

    /// Forgets keys for good.
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
            (state.keys, state.stamp) = (stored.keys, FileStamp(file))
        }
    }

    private static func made() -> DiscoveryKey {
        DiscoveryKey(id: Data(Secret.random().prefix(9)).base64URL, secret: PRFKey())
    }
}

/// Tells one state of a file from another.
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
