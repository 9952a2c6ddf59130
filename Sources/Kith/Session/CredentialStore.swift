public import Foundation
public import KithModel
import Synchronization

/// Where session tokens are kept: apart from the replica, as safe as the system allows.
public protocol CredentialStore: Sendable {
    /// The token of an account, or nil if there is none.
    func token(for account: AccountID) throws -> String?

    /// Keeps a token. On return it will survive a restart.
    func save(_ token: String, for account: AccountID) throws

    /// Forgets the token of an account, if there is one.
    func deleteToken(for account: AccountID) throws

    /// Forgets every token.
    func deleteAllTokens() throws
}

/// Tokens in memory only, for tests and previews.
public final class InMemoryCredentialStore: CredentialStore {
    private let tokens = Mutex<[AccountID: String]>([:])

    /// A store without tokens.
    public init() {}

    /// The token of an account, or nil if there is none.
    public func token(for account: AccountID) -> String? { tokens.withLock { $0[account] } }

    /// Keeps a token as long as the store lives.
    public func save(_ token: String, for account: AccountID) { tokens.withLock { $0[account] = token } }

    /// Forgets the token of an account, if there is one.
    public func deleteToken(for account: AccountID) { tokens.withLock { $0[account] = nil } }

    /// Forgets every token.
    public func deleteAllTokens() { tokens.withLock { $0 = [:] } }
}

/// Tokens in a file that only its owner may read (mode 0600).
public final class FileCredentialStore: CredentialStore {
    private let url: URL
    private let lock = Mutex(())

    /// A store in the file at `url`, which the first token makes.
    public init(url: URL) {
        self.url = url
    }

    /// The token of an account, or nil if there is none.
    public func token(for account: AccountID) throws -> String? {
        try lock.withLock { _ in try read()[account.description] }
    }

    /// Keeps a token. On return it is on the disk.
    public func save(_ token: String, for account: AccountID) throws {
        try change { $0[account.description] = token }
    }

    /// Forgets the token of an account, if there is one.
    public func deleteToken(for account: AccountID) throws {
        try change { $0[account.description] = nil }
    }

    /// Forgets every token.
    public func deleteAllTokens() throws {
        try change { $0 = [:] }
    }

    private func change(_ body: (inout [String: String]) -> Void) throws {
        try lock.withLock { _ in
            var tokens = try read()
            body(&tokens)
            try write(tokens)
        }
    }

    private func read() throws -> [String: String] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [:] }
        do {
            return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: url))
        } catch {
            throw KithError(
                .credentials, "The tokens in \(url.path) cannot be read. Check its owner and mode.", cause: error)
        }
    }

    /// Writes beside the file and renames, so that a crash leaves the old or the
    /// new tokens. The file never has a wider mode, not even for a moment.
    private func write(_ tokens: [String: String]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let beside = url.path + ".new"
        do {
            let manager = FileManager.default
            try manager.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try? manager.removeItem(atPath: beside)
            let data = try encoder.encode(tokens)
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
                .credentials, "The tokens cannot be written to \(url.path). Is the disk full?", cause: error)
        }
    }
}

#if canImport(Security)
    import Security

    /// Tokens in the keychain of Apple's systems.
    public struct KeychainCredentialStore: CredentialStore {
        private let service: String

        /// - Parameter service: What the entries are filed under; the app's bundle identifier, say.
        public init(service: String) {
            self.service = service
        }

        /// The token of an account, or nil if there is none.
        public func token(for account: AccountID) throws -> String? {
            var result: CFTypeRef?
            var query = query(for: account)
            query[kSecReturnData] = true
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = result as? Data else { throw failure(status) }
            return String(decoding: data, as: UTF8.self)
        }

        /// Keeps a token, on this device only, readable after its first unlocking.
        public func save(_ token: String, for account: AccountID) throws {
            try deleteToken(for: account)
            var query = query(for: account)
            query[kSecValueData] = Data(token.utf8)
            query[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            let status = SecItemAdd(query as CFDictionary, nil)
            guard status == errSecSuccess else { throw failure(status) }
        }

        /// Forgets the token of an account, if there is one.
        public func deleteToken(for account: AccountID) throws {
            try delete(query(for: account))
        }

        /// Forgets every token.
        public func deleteAllTokens() throws {
            try delete([kSecClass: kSecClassGenericPassword, kSecAttrService: service])
        }

        private func delete(_ query: [CFString: Any]) throws {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw failure(status) }
        }

        private func query(for account: AccountID) -> [CFString: Any] {
            [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account.description]
        }

        private func failure(_ status: OSStatus) -> KithError {
            KithError(.credentials, "The keychain refused (status \(status)).")
        }
    }
#endif
