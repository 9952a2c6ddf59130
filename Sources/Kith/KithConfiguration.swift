public import Foundation
import KithModel

/// How a client is set up. The defaults suit an app.
public struct KithConfiguration: Sendable {
    /// Where the replica lives.
    public enum Storage: Sendable {
        /// A folder of its own, made if need be: the replica, and on Linux the tokens.
        case directory(URL)
        /// Nothing is kept: for tests and previews.
        case inMemory
    }

    /// The server's address; nil for a purely local store.
    public var server: URL?
    /// Where the replica lives.
    public var storage: Storage
    /// The store that the client reads, edits and syncs, without making it the current one; nil for the current one.
    ///
    /// The account's own token and, if ``server`` names it, its own server are used. The store has to be on the device:
    /// ``Accounts/all()`` lists them, with the server's address. Such a client can log out and delete the account. It
    /// cannot change the session in any other way.
    public var account: AccountScope?
    /// Where tokens are kept; nil for the keychain on Apple's systems, elsewhere a
    /// file with mode 0600 beside the replica; in memory if the replica is.
    public var credentials: (any CredentialStore)?
    /// How eagerly the client is in step with the server.
    public var syncRate: SyncRate = .default
    /// Whether changes are also posted to `NotificationCenter.default`.
    public var postsNotifications = true
    /// Whether the replica keeps the last removal of items or of a list, so that it can be undone after a restart: see
    /// ``Lists/undoLastRemoval()``.
    public var keepsLastRemoval = false
    /// The way to the server; nil for real HTTP (``SystemTransport``).
    public var transport: (any Transport)?
    package var dependencies: Dependencies = .system
    /// What other modules are set up with.
    package var modules = ModuleSettings()

    /// The defaults, with this server and this place for the replica.
    public init(server: URL? = nil, storage: Storage) {
        self.server = server
        self.storage = storage
    }

    func makeCredentials() -> any CredentialStore {
        if let credentials { return credentials }
        switch storage {
        case .inMemory: return InMemoryCredentialStore()
        case .directory(let folder):
            #if canImport(Security)
                return KeychainCredentialStore(service: "kith \(folder.lastPathComponent)")
            #else
                return FileCredentialStore(url: folder.appendingPathComponent("credentials.json"))
            #endif
        }
    }

    var location: Replica.Location {
        switch storage {
        case .inMemory: .inMemory
        case .directory(let folder): .file(folder.appendingPathComponent("kith.sqlite"))
        }
    }

    /// The way to another server than the client's; nil where an app has a transport of its own.
    var elsewhere: (@Sendable (URL) -> any Transport)? {
        guard transport == nil else { return nil }
        return { SystemTransport(server: $0) }
    }

    func makeConnection() -> ServerConnection? {
        let address = server.map(ServerIdentity.address(of:))
        return (transport ?? server.map { SystemTransport(server: $0) }).map {
            ServerConnection(transport: $0, address: address)
        }
    }
}
