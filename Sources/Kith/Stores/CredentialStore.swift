public import Foundation
public import KithModel
import Synchronization

/// The purpose of a secret.
public enum Credential: Hashable, Sendable {
    /// An account's session: the secret is its token.
    case session(AccountID)
    /// A source of the address book, by its id: the secret is its password.
    case source(String)
    /// A session that was ended on this device but not yet on its server: the secret is its token, until the server is
    /// told.
    case ended(String)
}

/// Stores tokens and passwords: outside the database, as safely as the system allows.
public protocol CredentialStore: Sendable {
    /// The secret of this credential, or nil if there is none.
    func secret(for credential: Credential) throws -> String?

    /// Saves a secret. On return it is stored durably and survives a restart.
    func save(_ secret: String, for credential: Credential) throws

    /// Deletes a secret, if there is one.
    func delete(_ credential: Credential) throws

    /// Deletes the token of every ``Credential/session(_:)``. Other secrets stay.
    func deleteAllTokens() throws
}

extension CredentialStore {
    /// The token of an account, or nil if there is none.
    public func token(for account: AccountID) throws -> String? { try secret(for: .session(account)) }

    /// Saves a token. On return it is stored durably and survives a restart.
    public func save(_ token: String, for account: AccountID) throws { try save(token, for: .session(account)) }

    /// Deletes the token of an account, if there is one.
    public func deleteToken(for account: AccountID) throws { try delete(.session(account)) }
}

extension Credential {
    /// The key under which the secret is stored: the account's identity, or a name that is never an identity.
    fileprivate var name: String {
        switch self {
        case .session(let account): account.description
        case .source(let id): Self.sourceMark + id
        case .ended(let id): Self.endedMark + id
        }
    }

    fileprivate var isSession: Bool { if case .session = self { true } else { false } }

    fileprivate static let sourceMark = "source "
    fileprivate static let endedMark = "ended "
}

/// Keeps secrets only in memory, for tests and previews.
public final class InMemoryCredentialStore: CredentialStore {
    private let secrets = Mutex<[Credential: String]>([:])

    /// Creates a store without secrets.
    public init() {}

    /// The secret of this credential, or nil if there is none.
    public func secret(for credential: Credential) -> String? { secrets.withLock { $0[credential] } }

    /// Keeps a secret as long as the store lives.
    public func save(_ secret: String, for credential: Credential) { secrets.withLock { $0[credential] = secret } }

    /// Deletes a secret, if there is one.
    public func delete(_ credential: Credential) { secrets.withLock { $0[credential] = nil } }

    /// Deletes the token of every session.
    public func deleteAllTokens() {
        secrets.withLock { secrets in
            secrets = secrets.filter { !$0.key.isSession }
        }
    }
}

/// Keeps secrets in a file that only its owner may read (mode 0600).
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

    /// Saves a secret. On return it is on the disk.
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
            var secrets = try read()
            body(&secrets)
            try write(secrets)
        }
    }

    private func read() throws -> [String: String] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [:] }
        do {
            return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: url))
        } catch {
            throw KithError(
                .credentials, "The tokens and passwords in \(url.path) cannot be read. Check its owner and mode.",
                cause: error)
        }
    }

    /// Writes a temporary file and renames it, so that a crash leaves either the old or the new secrets. The file never
    /// has a wider mode.
    private func write(_ secrets: [String: String]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let beside = url.path + ".new"
        do {
            let manager = FileManager.default
            try manager.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try? manager.removeItem(atPath: beside)
            let data = try encoder.encode(secrets)
            let descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL, 0o600)
            guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: data)
            // Synchronizes before the rename: otherwise a power failure could leave the new name without its content.
            try file.synchronize()
            try file.close()
            guard rename(beside, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            throw KithError(
                .credentials, "The tokens and passwords cannot be written to \(url.path). Is the disk full?",
                cause: error)
        }
    }
}

#if canImport(Security)
    import Security

    /// Keeps secrets in the keychain of Apple's systems.
    public struct KeychainCredentialStore: CredentialStore {
        private let service: String

        /// - Parameter service: The service name of the keychain entries, for example the app's bundle identifier.
        public init(service: String) {
            self.service = service
        }

        /// The secret of this credential, or nil if there is none.
        public func secret(for credential: Credential) throws -> String? {
            var result: CFTypeRef?
            var query = query(for: credential)
            query[kSecReturnData] = true
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = result as? Data else { throw failure(status) }
            return String(decoding: data, as: UTF8.self)
        }

        /// Saves a secret on this device only, readable after the first unlock.
        public func save(_ secret: String, for credential: Credential) throws {
            try delete(credential)
            var query = query(for: credential)
            query[kSecValueData] = Data(secret.utf8)
            query[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            let status = SecItemAdd(query as CFDictionary, nil)
            guard status == errSecSuccess else { throw failure(status) }
        }

        /// Deletes a secret, if there is one.
        public func delete(_ credential: Credential) throws {
            try delete(query(for: credential))
        }

        /// Deletes the token of every session.
        public func deleteAllTokens() throws {
            try delete([kSecClass: kSecClassGenericPassword, kSecAttrService: service])
        }

        private func delete(_ query: [CFString: Any]) throws {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw failure(status) }
        }

        /// Secrets that are not session tokens have their own service name, so that all tokens can be deleted without
        /// them.
        private func query(for credential: Credential) -> [CFString: Any] {
            let service =
                switch credential {
                case .session: service
                case .source: "\(service) sources"
                case .ended: "\(service) ended"
                }
            return [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: credential.name,
            ]
        }

        private func failure(_ status: OSStatus) -> KithError {
            KithError(.credentials, "The keychain refused (status \(status)).")
        }
    }
#endif
