public import Foundation
public import KithModel
import Synchronization

/// What a secret opens.
public enum Credential: Hashable, Sendable {
    /// An account's session: the secret is its token.
    case session(AccountID)
    /// A source of the address book, by its id: the secret is the password.
    case source(String)
    /// A session that was ended here while its server could not be told: the secret is its token, until it is told.
    case ended(String)
}

/// Where tokens and passwords are kept: apart from the database, as safe as the system allows.
public protocol CredentialStore: Sendable {
    /// The secret that opens this, or nil if there is none.
    func secret(for credential: Credential) throws -> String?

    /// Keeps a secret. On return it will survive a restart.
    func save(_ secret: String, for credential: Credential) throws

    /// Forgets a secret, if there is one.
    func delete(_ credential: Credential) throws

    /// Forgets the token of every ``Credential/session(_:)``. Everything else stays.
    func deleteAllTokens() throws
}

extension CredentialStore {
    /// The token of an account, or nil if there is none.
    public func token(for account: AccountID) throws -> String? { try secret(for: .session(account)) }

    /// Keeps a token. On return it will survive a restart.
    public func save(_ token: String, for account: AccountID) throws { try save(token, for: .session(account)) }

    /// Forgets the token of an account, if there is one.
    public func deleteToken(for account: AccountID) throws { try delete(.session(account)) }
}

extension Credential {
    /// What the secret is filed under: the account's identity, or a name that no identity can be.
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

/// Secrets in memory only, for tests and previews.
public final class InMemoryCredentialStore: CredentialStore {
    private let secrets = Mutex<[Credential: String]>([:])

    /// A store without secrets.
    public init() {}

    /// The secret that opens this, or nil if there is none.
    public func secret(for credential: Credential) -> String? { secrets.withLock { $0[credential] } }

    /// Keeps a secret as long as the store lives.
    public func save(_ secret: String, for credential: Credential) { secrets.withLock { $0[credential] = secret } }

    /// Forgets a secret, if there is one.
    public func delete(_ credential: Credential) { secrets.withLock { $0[credential] = nil } }

    /// Forgets the token of every session.
    public func deleteAllTokens() {
        secrets.withLock { secrets in
            secrets = secrets.filter { !$0.key.isSession }
        }
    }
}

/// Secrets in a file that only its owner may read (mode 0600).
public final class FileCredentialStore: CredentialStore {
    private let url: URL
    private let lock = Mutex(())

    /// A store in the file at `url`, which the first secret makes.
    public init(url: URL) {
        self.url = url
    }

    /// The secret that opens this, or nil if there is none.
    public func secret(for credential: Credential) throws -> String? {
        try lock.withLock { _ in try read()[credential.name] }
    }

    /// Keeps a secret. On return it is on the disk.
    public func save(_ secret: String, for credential: Credential) throws {
        try change { $0[credential.name] = secret }
    }

    /// Forgets a secret, if there is one.
    public func delete(_ credential: Credential) throws {
        try change { $0[credential.name] = nil }
    }

    /// Forgets the token of every session.
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

    /// Writes beside the file and renames, so that a crash leaves the old or the
    /// new secrets. The file never has a wider mode, not even for a moment.
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
            // Before the renaming: else a power cut could leave the new name without its content.
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

    /// Secrets in the keychain of Apple's systems.
    public struct KeychainCredentialStore: CredentialStore {
        private let service: String

        /// - Parameter service: What the entries are filed under; the app's bundle identifier, say.
        public init(service: String) {
            self.service = service
        }

        /// The secret that opens this, or nil if there is none.
        public func secret(for credential: Credential) throws -> String? {
            var result: CFTypeRef?
            var query = query(for: credential)
            query[kSecReturnData] = true
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = result as? Data else { throw failure(status) }
            return String(decoding: data, as: UTF8.self)
        }

        /// Keeps a secret, on this device only, readable after its first unlocking.
        public func save(_ secret: String, for credential: Credential) throws {
            try delete(credential)
            var query = query(for: credential)
            query[kSecValueData] = Data(secret.utf8)
            query[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            let status = SecItemAdd(query as CFDictionary, nil)
            guard status == errSecSuccess else { throw failure(status) }
        }

        /// Forgets a secret, if there is one.
        public func delete(_ credential: Credential) throws {
            try delete(query(for: credential))
        }

        /// Forgets the token of every session.
        public func deleteAllTokens() throws {
            try delete([kSecClass: kSecClassGenericPassword, kSecAttrService: service])
        }

        private func delete(_ query: [CFString: Any]) throws {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw failure(status) }
        }

        /// What is no session's token has a service of its own, so that all tokens can be deleted without it.
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
