public import Foundation
import KithModel
import Synchronization

/// Keeps secrets in a file that only its owner may read (mode 0600).
///
/// Several processes can use one file, such as an app and the command line: a change waits until the other process has
/// finished its own, so that neither loses a secret of the other.
public final class FileCredentialStore: CredentialStore {
    private let url: URL
    private let lock = Mutex(())

    /// Creates a store in the file at `url`. The first secret creates the file.
    public init(url: URL) {
        self.url = url
    }

    /// The secret of this credential, or nil if there is none.
    public func secret(for credential: Credential) throws -> String? {
        try lock.withLock { _ in try read()[credential.name] }
    }

    /// Saves a secret. On return it is durable on disk.
    public func save(_ secret: String, for credential: Credential) throws {
        try change { $0[credential.name] = secret }
    }

    /// Deletes a secret, if there is one.
    public func delete(_ credential: Credential) throws {
        try change { $0[credential.name] = nil }
    }

    /// Deletes the token of every session.
    public func deleteAllTokens() throws {
        try change { secrets in
            secrets = secrets.filter {
                $0.key.hasPrefix(Credential.sourceMark) || $0.key.hasPrefix(Credential.endedMark)
            }
        }
    }

    private func change(_ body: (inout [String: String]) -> Void) throws {
        try lock.withLock { _ in
            let folder = try lockFolder()
            defer { close(folder) }
            var secrets = try read()
            body(&secrets)
            try write(secrets)
        }
    }

    /// Locks the file's folder against changes by other processes.
    ///
    /// The file itself is replaced by each change, so it cannot carry the lock.
    ///
    /// - Returns: The descriptor that holds the lock until it is closed.
    private func lockFolder() throws -> Int32 {
        let folder = url.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw cannotWrite(error)
        }
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw cannotWrite(CocoaError(.fileReadUnknown)) }
        while flock(descriptor, LOCK_EX) != 0 {
            // A signal can interrupt the wait. A file system without locks is used by one process.
            if errno != EINTR { break }
        }
        return descriptor
    }

    private func read() throws -> [String: String] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [:] }
        do {
            return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: url))
        } catch let error as DecodingError {
            throw KithError(
                .credentials,
                "\(url.path), which has the tokens and passwords, is damaged. Move it aside, and sign in again.",
                cause: error)
        } catch {
            throw KithError(
                .credentials, "The tokens and passwords in \(url.path) cannot be read. Check its owner and mode.",
                cause: error)
        }
    }

    private func write(_ secrets: [String: String]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        do {
            try OwnerOnlyFile.write(encoder.encode(secrets), to: url.path)
        } catch {
            throw cannotWrite(error)
        }
    }

    private func cannotWrite(_ error: any Error) -> KithError {
        KithError(
            .credentials, "The tokens and passwords cannot be written to \(url.path). Is the disk full?", cause: error)
    }
}
