import Foundation
import KithModel
import OPRF

/// The file of the secret keys: JSON that only its owner may read.
///
/// It is replaced atomically, so that it is never half written.
final class DiscoveryKeyFile {
    private struct Content: Codable {
        struct Key: Codable {
            var id: String
            var secret: String
        }
        var keys: [Key]
    }

    private let path: String
    private(set) var keys: [DiscoveryKey] = []

    /// The current file; without keys if the file does not exist.
    init(_ url: URL) throws {
        path = url.path(percentEncoded: false)
        if FileManager.default.fileExists(atPath: path) { keys = try read() }
    }

    /// Replaces the keys by the result of `body`. A lock excludes other changes in the meantime.
    func change(_ body: ([DiscoveryKey]) -> [DiscoveryKey]) throws {
        let lock = try locked()
        defer { close(lock) }
        keys = body(try read())
        try write(keys)
    }

    /// The lock for changes of the file. It is on the folder, because the file itself is replaced.
    private func locked() throws -> Int32 {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot be made. Make its folder") }
        guard flock(descriptor, LOCK_EX) == 0 else {
            close(descriptor)
            throw failure("cannot be locked. Put it on a disk of this machine")
        }
        return descriptor
    }

    private func read() throws -> [DiscoveryKey] {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return [] }
        if let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 != 0 {
            throw failure("can be read by others. Let only its owner read it: “chmod 600”")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw failure("cannot be read. Give it to the user that runs the server")
        }
        if data.isEmpty { return [] }
        guard let content = try? JSONDecoder().decode(Content.self, from: data) else { throw damaged }
        return try content.keys.map { key in
            guard let bytes = Data(base64URL: key.secret), let secret = PRFKey(bytes: Array(bytes)) else {
                throw damaged
            }
            return DiscoveryKey(id: key.id, secret: secret)
        }
    }

    private func write(_ keys: [DiscoveryKey]) throws {
        let content = Content(
            keys: keys.map { Content.Key(id: $0.id, secret: Data($0.secret.bytes).base64URL) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let data = try encoder.encode(content)
        do {
            try OwnerOnlyFile.write(data, to: path)
        } catch {
            throw failure("cannot be written. Make its folder writable, and make room on its disk")
        }
    }

    private var damaged: ServerError {
        failure(
            "cannot be understood. Restore it from a backup; without one, move it away, and all devices look for everybody again"
        )
    }

    private func failure(_ what: String) -> ServerError {
        ServerError(.busy, "The file of the discovery keys, \(path), \(what).")
    }
}
