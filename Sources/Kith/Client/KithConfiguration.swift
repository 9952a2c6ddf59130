public import Foundation
import KithModel
public import Logging

/// The settings of a client. The defaults suit an app.
public struct KithConfiguration: Sendable {
    /// Where the replica is stored.
    public enum Storage: Sendable {
        /// A folder, created if needed. It contains the replica and, on Linux, the tokens. Several clients can use it without
        /// losing data, but none reports the changes of another at once.
        case directory(URL)
        /// Nothing is stored on disk: for tests and previews.
        case inMemory
    }

    /// The server's address; nil for a purely local store.
    public var server: URL?
    /// Where the replica is stored.
    public var storage: Storage
    /// The store that the client reads, edits and syncs without making it the current one; nil for the current store.
    ///
    /// The store has to be on the device; ``Accounts/all()`` lists the stores with their servers' addresses. The client
    /// uses the account's own token, and the account's own server if ``server`` names it. Such a client is *pinned*: it can
    /// log out and delete the account, but not change the session in any other way.
    public var account: AccountScope?
    /// Where tokens are stored. nil means the keychain on Apple's systems, and on other systems a file with mode 0600
    /// beside the replica. If the replica is in memory, nil means in memory.
    ///
    /// The keychain entries are named after the last part of the folder's path, and an app extension does not share them. So pass
    /// a `KeychainCredentialStore` if an extension uses the folder, or one for each folder if several have the same name. It can
    /// also include the tokens in backups.
    public var credentials: (any CredentialStore)?
    /// How eagerly the client syncs with the server.
    public var syncRate: SyncRate = .default
    /// Whether changes are also posted to `NotificationCenter.default`, with the client as their object.
    ///
    /// | name | `userInfo["changed"]` |
    /// | --- | --- |
    /// | `kithListsChanged` | `Changed<SharedList>` |
    /// | `kithItemsChanged` | `Changed<ListItem>` |
    /// | `kithMembersChanged` | `Changed<Member>` |
    /// | `kithNetworkChanged` | ``NetworkChanges`` in the view `everyone` |
    /// | `kithInvitationsChanged` | `Changed<Invitation>` |
    /// | `kithSharingChanged` | ``SharingChanges`` |
    /// | `kithPopulated` | nothing: the first round has written everything |
    ///
    /// They are posted on the database's queue after each commit, not on the main thread, and the next edit waits until every
    /// observer has returned. So an observer updates the user interface in a task: `Task { @MainActor in … }`. With
    /// `queue: .main`, the edits wait for the main thread. An app with several clients passes the client as `object` to observe
    /// only its changes.
    ///
    /// Each notification has all values that have changed, and nobody knows whether somebody observes it. The values are
    /// therefore built for each change; after the first round or a switch of accounts, for all records of the account.
    public var postsNotifications = false
    /// Whether the replica keeps the last removal of items or of a list, so that it can be undone after a restart. See
    /// ``Lists/undoLastRemoval()``.
    public var keepsLastRemoval = false
    /// The transport to the server; nil for real HTTP (``SystemTransport``).
    public var transport: (any Transport)?
    /// Where the client logs what it does: states of the session, rounds, retries with their reasons, migrations and the live
    /// stream. By default it logs nothing.
    ///
    /// No line has personal data: no name, email, number, code, token or title, and no id of an account. Most lines have the
    /// level `debug`; a changed state and a retry `info`; what needs the user `notice`; a failing server `warning`.
    ///
    /// ```swift
    /// configuration.logger = Logger(label: "com.example.shop.kith")
    /// ```
    public var logger = Logger(label: "kith") { _ in SwiftLogNoOpLogHandler() }
    package var dependencies: Dependencies = .system
    /// The settings of other modules.
    package var modules = ModuleSettings()

    /// Creates the default settings with this server and this storage.
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

    /// Creates the transport to a different server from the client's; nil if the app passes in its own transport.
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
