public import Foundation
public import KithModel

/// The entry point of Kith: an app's lists, stored on the device and synced with a server.
///
/// ```swift
/// let client = try KithClient(KithConfiguration(server: url, storage: .directory(folder)))
/// let groceries = try await client.lists.create("Groceries")
/// try await client.lists.add("Oat milk", to: groceries.id, count: 2)
/// await client.run()
/// ```
///
/// Everything works without a server, even if no server was ever reached. A client that never runs is a local store.
public final class KithClient: Sendable {
    package let replica: Replica
    package let engine: SyncEngine
    /// Finds out which server a link belongs to.
    let links: LinkServer
    /// The requests with the current session.
    var requests: SessionRequests { engine.requests }
    let presence: PresenceKeeper
    /// The number of changes that an observer may leave unread before its stream ends.
    let unreadChanges: Int
    /// The maximum number of bytes of pictures that are cached for one account; nil for the default.
    let pictureBytes: Int?
    package let configuration: KithConfiguration
    package let credentials: any CredentialStore
    /// The parts that other modules have attached to this client.
    package let parts = ClientParts()
    /// Lets one call of ``run()`` sync at a time.
    private let runLock = AsyncLock()

    /// A damaged replica is moved aside, and the new one is filled from the server: see ``damagedReplica``.
    ///
    /// - Throws: ``KithError`` if the replica cannot be opened; `newerVersion` if a newer version of the app has written it.
    public convenience init(_ configuration: KithConfiguration) throws {
        var dependencies = configuration.dependencies
        dependencies.log = ClientLog(configuration.logger)
        let replica = try Replica(
            configuration.location, dependencies: dependencies,
            postsNotifications: configuration.postsNotifications, scope: configuration.account,
            keepsLastRemoval: configuration.keepsLastRemoval)
        self.init(
            configuration, replica, configuration.makeCredentials(), configuration.makeConnection(),
            elsewhere: configuration.elsewhere, rate: configuration.syncRate)
    }

    /// A client of a replica that is already open, for tests and the simulation.
    package convenience init(
        replica: Replica, transport: (any Transport)?, server: URL? = nil, credentials: any CredentialStore,
        rate: SyncRate = .default, elsewhere: (@Sendable (URL) -> any Transport)? = nil,
        unreadChanges: Int = KithClient.unreadChanges, pictureBytes: Int? = nil,
        mostRounds: Int = SyncEngine.mostRounds
    ) throws {
        let connection = transport.map {
            ServerConnection(transport: $0, address: server.map(ServerIdentity.address(of:)))
        }
        self.init(
            KithConfiguration(storage: .inMemory), replica, credentials, connection, elsewhere: elsewhere, rate: rate,
            unreadChanges: unreadChanges, pictureBytes: pictureBytes, mostRounds: mostRounds)
    }

    private init(
        _ configuration: KithConfiguration, _ replica: Replica, _ credentials: any CredentialStore,
        _ connection: ServerConnection?, elsewhere: (@Sendable (URL) -> any Transport)?, rate: SyncRate,
        unreadChanges: Int = KithClient.unreadChanges, pictureBytes: Int? = nil,
        mostRounds: Int = SyncEngine.mostRounds
    ) {
        self.configuration = configuration
        self.replica = replica
        self.credentials = credentials
        self.unreadChanges = unreadChanges
        self.pictureBytes = pictureBytes
        let server = CheckedServer(connection, replica, credentials)
        links = LinkServer(server, elsewhere: elsewhere)
        presence = PresenceKeeper(replica, credentials, at: server)
        engine = SyncEngine(
            replica: replica, credentials: credentials, server: server, attachments: PictureSender(replica: replica),
            listener: presence, rate: rate, mostRounds: mostRounds)
        replica.hub.setSender(self)
    }

    /// A purely local client in memory, for tests and previews.
    public static func inMemory() throws -> KithClient {
        try KithClient(KithConfiguration(storage: .inMemory))
    }

    /// Where a damaged replica was moved when this client was opened; nil if it was intact.
    public var damagedReplica: URL? { replica.movedAside }

    // MARK: Writing together

    /// Runs several edits as a group. They take effect together or not at all, on the device and on the server.
    ///
    /// A group has at most `Limits.group` edits, and at most 1 MiB of them.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: ``KithError`` with `tooMany` for a larger group; the error of an edit, or any other that `body` throws. In
    ///   each case nothing was changed.
    @discardableResult
    public func write<T: Sendable>(_ body: @escaping @Sendable (Changes) throws -> T) async throws -> T {
        try await edit(isGroup: true, body)
    }

    /// Runs edits in one transaction of the device. Only if `isGroup` is true, the server also applies them together.
    func edit<T: Sendable>(
        isGroup: Bool = false, _ body: @escaping @Sendable (Changes) throws -> T
    ) async throws -> T {
        try await transact { transaction in
            let changes = Changes(transaction, isGroup: isGroup)
            let result = try body(changes)
            try changes.saveKept()
            return result
        }
    }

    /// Writes to the replica in one transaction, and tells the engine afterwards.
    func transact<T: Sendable>(_ body: @escaping @Sendable (ReplicaTransaction) throws -> T) async throws -> T {
        let result = try await replica.write(body)
        engine.post(.edited)
        return result
    }

    // MARK: Syncing

    /// Syncs with the server until the calling task is cancelled.
    ///
    /// One call syncs at a time. Another call waits until it has ended, and then takes over. So an app can cancel the task
    /// and call this again at once, and each window can call it in a task of its own.
    ///
    /// While the server cannot be reached, the pauses between two attempts grow to ten minutes. This call begins with an
    /// attempt. An edit leads to one at once, at most every ten seconds, and so does a live stream that opens.
    /// ``networkChanged()`` always leads to one. If the server has asked to wait, the client waits in any case.
    public func run() async {
        // It throws only if the task is cancelled while it waits.
        try? await runLock.withLock {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.engine.run() }
                #if canImport(Darwin)
                    // The client of a test has no address, and needs no network.
                    let network = self.configuration.server.map { _ in
                        SystemNetwork.follow { [weak self] in await self?.networkChanged() }
                    }
                    defer { network?.cancel() }
                #endif
                for await part in self.parts.running() { group.addTask { await part.run() } }
            }
        }
    }

    /// Tries again at once if the server could not be reached, and reads what others have changed. It also wakes
    /// ``caughtUp()`` and commands that wait.
    ///
    /// Call this when the system reports a network, and when the app comes to the front. On Apple's systems, ``run()`` itself
    /// hears of networks. If the server has asked to wait, the client still waits.
    public func networkChanged() async { await engine.networkChanged() }

    /// Runs sync rounds now until nothing is left to send or to read.
    ///
    /// - Throws: ``KithError``: `offline`, `busy`, `unauthorized`, `noServer` …
    public func syncNow() async throws { try await engine.syncNow() }

    /// Returns when the server has acknowledged all edits made before the call, and everything was read after that.
    /// Waits while the server cannot be reached, or something else answers; ``syncNow()`` throws instead. It tries again at
    /// ``SyncStatus/retryAt``, and as soon as the server has answered ``run()`` or another call.
    ///
    /// - Throws: ``KithError`` where waiting does not help: `unauthorized`, `noServer` …; `CancellationError`.
    public func caughtUp() async throws { try await engine.caughtUp() }

    /// Sets how eagerly the client syncs from now on.
    public func setSyncRate(_ rate: SyncRate) { engine.setRate(rate) }

    /// The sync status of the current account.
    public func status() async throws -> SyncStatus { try await engine.status() }

    /// The status, now and after each change.
    public func liveStatus() -> AsyncStream<SyncStatus> { engine.statuses() }

    // MARK: Links

    /// Sends a request about a link, if the link leads to the client's server. `body` gets the link's secret.
    func send<T: Sendable>(
        about link: String, _ body: (ServerConnection, String) async throws -> T
    ) async throws -> T {
        let address = LinkAddress(link)
        try await links.check(address)
        return try await links.send(about: address, body)
    }

    /// Accepts a link with the current session, and syncs. `body` gets the link's secret.
    ///
    /// - Throws: ``KithError`` with `refused` if another account became the current one before the link was accepted.
    func accept<T: Sendable>(
        _ link: String, _ body: (SessionConnection, String) async throws -> T
    ) async throws -> T {
        let address = LinkAddress(link)
        let acceptance = try await replica.forCurrentAccount {
            try await links.check(address)
            return try await requests.afterRound { connection in
                try await links.send(about: address) { try await body(connection, $1) }
            }
        }
        try await syncNow()
        return acceptance
    }

    // MARK: Rejections

    /// The unsent edits, to find out later which of them a command has made or changed.
    package func unsentChanges() async throws -> [MutationID: Mutation.Change] {
        try await replica.read { reading in
            Dictionary(try reading.store.outbox.unsent().map { ($0.id, $0.change) }) { $1 }
        }
    }

    /// The edits that the server refused and the app has not dismissed, oldest first.
    ///
    /// They belong to the current account, or to the store of `scope`.
    public func rejections(within scope: AccountScope? = nil) async throws -> [Rejection] {
        try await replica.read(within: scope) { [collections = replica.dependencies.collections] in
            try $0.store.rejections.all(in: collections)
        } ?? []
    }

    /// Dismisses a rejection of the current account, or of the store of `scope`. Does nothing if there is no rejection with
    /// this id.
    public func dismiss(_ id: Rejection.ID, within scope: AccountScope? = nil) async throws {
        try await dismissRejection(id, within: scope)
    }

    /// Dismisses every rejection of the current account, or of the store of `scope`.
    public func dismissAllRejections(within scope: AccountScope? = nil) async throws {
        try await dismissRejection(nil, within: scope)
    }

    /// Dismisses one rejection; all if `id` is nil.
    private func dismissRejection(_ id: Rejection.ID?, within scope: AccountScope?) async throws {
        try await transact { transaction in
            guard let scope else { return try transaction.rejections.dismiss(id) }
            guard let account = try ReplicaAccount.at(scope, transaction.db) else { return }
            try Store(transaction.db, account.key).rejections.dismiss(id)
        }
    }
}

// MARK: - Signals

extension KithClient {
    /// The number of unread changes after which a listener's stream ends.
    public static let unreadChanges = 10_000

    /// A stream of the state, followed by the signal that `each` returns for each later announcement. Announcements for
    /// which it returns nil are skipped.
    func signals<Signal: Sendable>(
        state: @escaping @Sendable (ReplicaReading) throws -> Signal,
        each: @escaping @Sendable (Announcement) -> Signal?
    ) -> AsyncStream<Signal> {
        stream(of: state) { hub, report in
            hub.listen { announcement in
                if let signal = each(announcement) { report(signal) }
            }
        }
    }

    /// A stream of the records that `all` reads for an account, followed by their changes.
    func signals<Record: ObservedRecord>(
        of all: @escaping @Sendable (Store) throws -> [Record]
    ) -> AsyncStream<Changed<Record>> {
        signals {
            Changed(added: try all($0.store), origin: .state, isPopulated: $0.account.isPopulated)
        } each: {
            $0 == .populated ? .populated : $0.changes(of: Changed<Record>.self)
        }
    }

    /// A stream of the state, followed by the signals of a listener, which `listen` adds to the hub.
    func stream<Signal: Sendable>(
        of state: @escaping @Sendable (ReplicaReading) throws -> Signal,
        listen: @escaping @Sendable (ChangeHub, @escaping @Sendable (Signal) -> Void) -> Int
    ) -> AsyncStream<Signal> {
        let replica = replica
        return AsyncStream(bufferingPolicy: .bufferingOldest(unreadChanges)) { continuation in
            let beginning = Task {
                // No change is lost between the state and the first change.
                let listener = try? await replica.onWriterQueue {
                    continuation.yield(try state($0))
                    return listen(replica.hub) { signal in
                        if case .dropped = continuation.yield(signal) { continuation.finish() }
                    }
                }
                // The state cannot be read. The stream ends; any getter throws the reason.
                guard let listener else { return continuation.finish() }
                continuation.onTermination = { _ in replica.hub.leave(listener) }
                if Task.isCancelled { replica.hub.leave(listener) }
            }
            continuation.onTermination = { _ in beginning.cancel() }
        }
    }
}

extension KithClient {
    /// The content of the replica and then its changes, in the order of the commits: lists, their items and people,
    /// contacts and matches. Includes changes that other processes make in the same file.
    ///
    /// When another store becomes the current one, the stream reports the switch and then the store's content. The
    /// content of the former store does not count as removed.
    ///
    /// ``ChangeHub`` only sees its own process. For other processes, SQLite only reports that they have committed
    /// (`PRAGMA data_version`). This method polls that value, and after a commit it compares the content with what was
    /// last reported. Each commit of another process costs one read of everything.
    ///
    /// - Parameter interval: The pause between two polls.
    /// - Returns: A stream that fails if the replica cannot be read, or if its listener is ``KithClient/unreadChanges``
    ///   changes behind.
    package func observedChanges(every interval: Duration) -> AsyncThrowingStream<ObservedChange, any Error> {
        let (replica, engine) = (replica, engine)
        return AsyncThrowingStream(bufferingPolicy: .bufferingOldest(unreadChanges)) { continuation in
            let reported = ExternalChanges(replica) { change in
                if case .dropped = continuation.yield(change) {
                    let sentence = "More has changed than was read in time. Start to observe again."
                    continuation.finish(throwing: KithError(.init(rawValue: "fellBehind"), sentence))
                }
            }
            let watching = Task {
                do {
                    // No change is lost between the state and the first change.
                    let listener = try await replica.onWriterQueue {
                        try reported.begin($0.db)
                        return replica.hub.listen { reported.note($0) }
                    }
                    defer { replica.hub.leave(listener) }
                    while true {
                        try await replica.dependencies.pause(interval)
                        // Edits that another process saved offline are in the same outbox.
                        if try await replica.onWriterQueue({ try reported.compare($0) }) { engine.post(.edited) }
                    }
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            let finding = Task { await reported.watchUnannounced() }
            continuation.onTermination = { _ in
                watching.cancel()
                finding.cancel()
            }
        }
    }
}
