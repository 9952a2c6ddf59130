public import Foundation
public import KithModel

/// The people I am connected with, and my profile: `client.network`.
///
/// ```swift
/// try await client.network.updateProfile { $0.given = "Ada" }
/// try await client.network.connect(grace)
/// for await changes in client.network.changes() { show(changes) }
/// ```
///
/// Getters read from the replica, without the server. Details, pictures and the directory are fetched on request; their
/// methods say so. Edits are first written on the device, are visible at once, and are sent by the next round. If the
/// device knows that an edit is impossible, it throws at once; if only the server can refuse it, the refusal becomes a
/// ``Rejection``.
public struct Network: Sendable {
    let client: KithClient

    // MARK: My profile

    /// My profile; empty until I set something.
    public func profile() async throws -> Profile {
        try await client.replica.read { try Profile.fetch(in: $0.store) }
    }

    /// My profile, now and after each change. The stream ends if the replica cannot be read; any getter then throws the
    /// reason.
    public func liveProfile() -> AsyncStream<Profile> {
        client.replica.live { try Profile.fetch(in: $0.store) }
    }

    /// Changes the current state of my profile. Fields that `change` does not touch keep the values that another device
    /// may have set since.
    ///
    /// To change the picture, call ``setPicture(small:large:)``.
    ///
    /// - Throws: ``KithError`` with `invalid` if a text is too long or there are too many entries of a kind; whatever
    ///   `change` throws.
    public func updateProfile(_ change: @escaping @Sendable (inout Profile) throws -> Void) async throws {
        try await client.edit { try $0.updateProfile(change) }
    }

    /// Sets the name of my profile to one text, for example the name that a user types when they register. It replaces the
    /// given name, the family name and the nickname, even if this device has not received them yet.
    ///
    /// - Throws: ``KithError`` with `invalid` if the name has more than 100 characters.
    public func setName(_ name: String) async throws { try await client.edit { try $0.setName(name) } }

    /// Stores an email that I have not proved as a note for the app: `Profile.claimedEmail`.
    ///
    /// The server makes no use of it: nobody can sign in or be found with it, no reward depends on it, and no other person
    /// sees it. To prove an email, use ``SignIn/requestCode(for:replacing:languages:device:)``.
    ///
    /// - Parameter email: The email; nil removes it.
    /// - Throws: ``KithError`` with `invalid` if the text is no email.
    public func setClaimedEmail(_ email: String?) async throws {
        try await client.edit { try $0.setClaimedEmail(email) }
    }

    // MARK: People

    /// My network: the people I am connected with, ordered by name, without bots, blocked people and myself.
    public func contacts() async throws -> [NetworkContact] { try await contacts(in: .network) }

    /// The people of a view, ordered by name.
    public func contacts(in view: NetworkView) async throws -> [NetworkContact] {
        try await client.replica.read { try NetworkContact.fetchAll(in: view, of: $0) }.sortedByName()
    }

    /// The people of a view, now and after each change. The stream ends if the replica cannot be read; any getter then
    /// throws the reason.
    public func live(_ view: NetworkView = .network) -> AsyncStream<[NetworkContact]> {
        client.replica.live { try NetworkContact.fetchAll(in: view, of: $0).sortedByName() }
    }

    /// The people who have sent me a request and wait for my answer, latest first.
    public func requests() async throws -> [NetworkContact] {
        try await contacts(in: .requests).sorted { ($0.asked?.milliseconds ?? 0) > ($1.asked?.milliseconds ?? 0) }
    }

    /// The number of requests that wait for my answer.
    public func pendingCount() async throws -> Int {
        try await client.replica.read { try NetworkContact.fetchAll(in: .requests, of: $0).count }
    }

    /// The people that I have asked and that have not accepted.
    public func sentRequests() async throws -> [NetworkContact] { try await contacts(in: .sent) }

    /// The people that I have blocked.
    public func blocked() async throws -> [NetworkContact] { try await contacts(in: .blocked) }

    /// The people who are muted now.
    public func muted() async throws -> [NetworkContact] {
        let now = client.replica.dependencies.now()
        return try await contacts(in: .muted).filter { $0.isMuted(at: now) }
    }

    /// Programs that I am connected with.
    public func bots() async throws -> [NetworkContact] { try await contacts(in: .bots) }

    /// Everyone with a contact record. This includes removed people, whose name the device does not show any more once
    /// the removal is sent.
    package func acquaintances() async throws -> [NetworkContact] {
        try await client.replica.read { try NetworkContact.fetchAll(in: $0.store) }
    }

    /// The contact with this account, in any view; nil if there is none.
    public func contact(_ id: AccountID) async throws -> NetworkContact? {
        try await client.replica.read { try NetworkContact.fetch(id, in: $0.store) }
            .flatMap { $0.isSomebody ? $0 : nil }
    }

    /// The people of a view that match a search: each word of `text` begins a word of their name, work or company.
    /// Case and accents are ignored. Needs no server.
    ///
    /// - Returns: The matching people; empty if `text` has no word.
    public func search(_ text: String, in view: NetworkView = .network) async throws -> [NetworkContact] {
        try await contacts(in: view).matching(text)
    }
}

extension Network {
    // MARK: Details, fetched on request

    /// Everything that someone shows to me: phones, emails, addresses …
    ///
    /// The details of a contact are stored, and the server is asked only if there are newer ones. Offline the result is
    /// what the device has, and ``Person/isComplete`` is false if newer details exist. Observers of the contact receive
    /// fetched details as an update with the key `details`.
    ///
    /// - Throws: ``KithError`` with `notFound` if there is no such account; for an account that is no contact, also
    ///   `offline`, `busy`, `noServer` …
    public func details(of id: AccountID) async throws -> Person {
        do {
            return try await currentDetails(of: id)
        } catch let error as KithError where error.isForNow {
            if let known = try await knownDetails(of: id) { return known }
            throw error
        }
    }

    /// The details that the device has; nil if the person is no contact.
    func knownDetails(of id: AccountID) async throws -> Person? {
        try await client.replica.read { try Person.fetch(id, in: $0.store) }
    }

    /// The details that the server has, fetched unless the device has them.
    ///
    /// - Throws: ``KithError`` with `notFound` if there is no such account; `offline`, `busy`, `noServer` … if they cannot be
    ///   fetched now.
    func currentDetails(of id: AccountID) async throws -> Person {
        let known = try await knownDetails(of: id)
        if let known, known.isComplete { return known }
        return try await fetchDetails(of: id)
    }

    /// The details of one contact, now and after each change; changes of other contacts give no new value. Newer
    /// details are fetched as soon as the device learns about them, or else after the next round that succeeds. The values do
    /// not wait for them. The value is nil while there is no such contact.
    ///
    /// The stream ends if the replica cannot be read; any getter then throws the reason.
    public func liveDetails(of id: AccountID) -> AsyncStream<Person?> {
        let values = client.replica.live { try Person.fetch(id, in: $0.store) }
        return AsyncStream(keeping: .bufferingNewest(1)) { stream in
            let (incomplete, fetch) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            await withDiscardingTaskGroup { group in
                // Fetched details give a new value of the stream.
                group.addTask { for await _ in incomplete { await completeDetails(of: id) } }
                for await person in values {
                    stream.yield(person)
                    if let person, !person.isComplete { fetch.yield() }
                }
                group.cancelAll()
            }
        }
    }

    /// Fetches the details that the device lacks. While they cannot be fetched, it tries again after each successful round,
    /// and when the network has changed.
    private func completeDetails(of id: AccountID) async {
        var isToBeRepeated = true
        while isToBeRepeated, !Task.isCancelled {
            isToBeRepeated = false
            // A round that succeeds during the attempt ends the pause, too.
            try? await client.engine.retries.ofRounds.pause {
                do {
                    _ = try await currentDetails(of: id)
                    return .zero
                } catch let error as KithError where error.isForNow {
                    isToBeRepeated = true
                    guard let asked = error.retryAfter, asked > .zero else { return .days(1) }
                    // A server that has asked to wait is not asked earlier.
                    try await client.replica.dependencies.pause(asked)
                    return .zero
                }
            }
        }
    }

    private func fetchDetails(of id: AccountID) async throws -> Person {
        let relation = try await client.replica.read { try NetworkContact.fetch(id, in: $0.store)?.relation }
        let session = try await client.requests.session()
        let shown = try await client.requests.send(in: session) { try await $0.account(id) }
        guard shown.account == id else {
            throw KithError(.malformed, "The server has told of another account than \(id).")
        }
        return try await client.replica.write(origin: .server) { transaction in
            let account = transaction.account
            let contact = try NetworkContact.fetch(id, in: transaction.store)
            // The result is not stored if another account has become the current one meanwhile, or access was lost.
            guard account.id == session.id, let contact, contact.relation == relation,
                contact.isSomebody
            else { return Person(shown) }
            let details = Details(shown)
            if try Details.fetch(of: id, in: transaction.store) != details {
                try details.save(of: id, in: transaction.store)
                transaction.recorder(NetworkRecorder.self)?.noteFetched(.details, of: id)
            }
            return Person(shown)
        }
    }
}

extension KithError {
    /// Whether a call returns what the device has stored, because the server cannot be asked now.
    var isForNow: Bool { isTemporary || code == .noServer || code == .unauthorized }
}

extension Network {
    /// Searches the server's directory for people by name. Only people who are listed in the directory are found.
    ///
    /// - Parameter name: One to `Limits.directoryName` characters and at most `Limits.directoryWords` words, at
    ///   least one of them with two letters. Each word is the beginning of a word of the person's name.
    /// - Returns: The matching people, which may be none.
    /// - Throws: ``KithError`` with `invalid`, `offline`, `busy`, `unauthorized` or `noServer`.
    public func searchDirectory(_ name: String) async throws -> DirectoryFinding {
        guard DirectoryName(sought: name) != nil else { throw KithError(.invalid, DirectoryName.rule, field: "name") }
        let answer = try await client.requests.withSession { try await $0.directory(name: name) }
        return DirectoryFinding(people: answer.people.map(Person.init), hasMore: answer.more ?? false)
    }
}

extension Network {
    // MARK: Pictures, fetched on request

    /// The maximum number of bytes of pictures that are stored for one account. Beyond it, the least recently used
    /// pictures are deleted.
    public static let pictureBytes = 64 * 1024 * 1024

    /// Sets the picture of my profile, in two sizes that the app provides, as JPEG, PNG or WebP.
    ///
    /// The picture is visible on this device at once, and is sent before the profile refers to it. If the server
    /// refuses it, there is a ``Rejection``.
    ///
    /// - Throws: ``KithError`` with `invalid` if a picture is too large or has another format.
    public func setPicture(small: Data, large: Data) async throws {
        try await client.edit { try $0.setPicture(small: small, large: large) }
    }

    /// Removes the picture of my profile.
    public func removePicture() async throws { try await client.edit { try $0.removePicture() } }

    /// My own picture; nil if I have none.
    ///
    /// - Throws: ``KithError`` with `offline` … if another device has set it and it cannot be fetched now.
    public func picture(_ size: PictureSize) async throws -> Data? {
        let (me, picture) = try await client.replica.read {
            ($0.account.id, try Profile.fetch(in: $0.store).picture)
        }
        guard let hash = size.hash(in: picture) else { return nil }
        return try await bytes(hash, of: me, size)
    }

    /// Someone's picture; nil if they have none, or do not show it to me.
    ///
    /// A contact's picture is fetched once and stored. Observers then receive an update with the key `picture`.
    ///
    /// - Throws: ``KithError`` with `offline`, `busy`, `noServer` … if it cannot be fetched now.
    public func picture(of id: AccountID, _ size: PictureSize) async throws -> Data? {
        let (me, contact) = try await client.replica.read {
            ($0.account.id, try NetworkContact.fetch(id, in: $0.store))
        }
        if id == me { return try await picture(size) }
        // For a stranger, only the server knows whether there is a picture.
        guard let contact, contact.isSomebody else {
            return try await bytes(nil, of: id, size)
        }
        guard let hash = size.hash(in: contact.picture) else { return nil }
        return try await bytes(hash, of: id, size)
    }

    private func bytes(_ hash: String?, of owner: AccountID?, _ size: PictureSize) async throws -> Data? {
        if let hash, let kept = try await kept(hash) { return kept }
        guard let owner else { return nil }
        let session = try await client.requests.session()
        let key = PictureFetching.Key(asker: session.id, owner: owner, size: size, hash: hash)
        return try await client.pictures.data(key) {
            // An earlier fetch may have ended since.
            if let hash, let kept = try await kept(hash) { return kept }
            let bytes = try await client.requests.send(in: session) { try await $0.picture(of: owner, size) }
            guard let bytes else { return nil }
            try await Self.keep(bytes, of: owner, for: session.id, client)
            return bytes
        }
    }

    private func kept(_ hash: String) async throws -> Data? {
        let now = client.replica.dependencies.now()
        let (kept, isUseStale) = try await client.replica.read { reading in
            let cache = PictureCache(reading.store)
            return (try cache.bytes(hash), try cache.isUseStale(hash, at: now))
        }
        if kept != nil && isUseStale {
            try await client.replica.write {
                try PictureCache($0.store).noteUse(hash, at: now)
            }
        }
        return kept
    }

    /// Stores a fetched picture under its hash, if anyone still shows it.
    private static func keep(_ bytes: Data, of owner: AccountID, for me: AccountID, _ client: KithClient) async throws {
        let hash = SHA256(Array(bytes)[...]).hex
        try await client.replica.write(origin: .server) { transaction in
            guard transaction.account.id == me else { return }
            let cache = PictureCache(transaction.store)
            let own = try Profile.fetch(in: transaction.store).picture
            let contacts = try cache.contacts(with: hash)
            guard !contacts.isEmpty || own?.small == hash || own?.large == hash else { return }
            try cache.save(bytes, hash, at: transaction.now, limit: client.pictureBytes ?? Network.pictureBytes)
            for contact in contacts {
                transaction.recorder(NetworkRecorder.self)?.noteFetched(.picture, of: contact)
            }
        }
    }
}

extension Network {
    // MARK: Presence

    /// The presence of someone in my network.
    ///
    /// Presence arrives on the live stream while ``KithClient/run()`` runs, and is only held in memory. Observers
    /// receive a change as an update of the contact with the key `presence`. Someone who is invisible or has blocked me
    /// looks offline.
    ///
    /// - Returns: nil if it is not known: without a live stream, and for everyone that I have blocked or am not
    ///   connected with.
    public func presence(of id: AccountID) async throws -> Presence? {
        let presence = client.presence
        return try await client.replica.read { reading in
            // Presence is only shown for people in the network, even if the stream has already reported it.
            guard let contact = try NetworkContact.fetch(id, in: reading.store), contact.hasPresence
            else { return nil }
            return presence.presence(of: id, on: reading.account.device)
        }
    }

    /// The people in my network who are online, away or busy, with their presence. Everyone else is offline or not
    /// known.
    public func presences() async throws -> [AccountID: Presence] {
        let presence = client.presence
        return try await client.replica.read { reading in
            try presence.present(on: reading.account.device).filter { id, _ in
                try NetworkContact.fetch(id, in: reading.store)?.hasPresence ?? false
            }
        }
    }

    /// Asks the server for the presence of someone in my network. The answer includes when they were last seen, if they
    /// show it to me.
    ///
    /// - Throws: ``KithError`` with `notFound` for everyone that I am not connected with; `offline`, `busy`,
    ///   `unauthorized`, `noServer`.
    public func currentPresence(of id: AccountID) async throws -> Presence {
        try await client.requests.withSession { try await $0.presence(of: id) }
    }

    /// Sets the presence that this device shows to my network: online, away, busy or invisible.
    ///
    /// The state is kept as long as this client object. It applies while a live stream is open, and each live stream
    /// starts with it; without a live stream I am offline. If this client has set no state, the one counts that another
    /// process with the same replica has set for its live stream, and otherwise `online`. With several devices, invisible has
    /// priority, then busy; otherwise the most available state counts. To be invisible from the start, set `invisible`
    /// before ``KithClient/run()``.
    ///
    /// - Throws: ``KithError`` with `invalid` for `offline`; `busy` or `unauthorized` if the server refuses the state
    ///   now. In these cases the next live stream sends it again.
    public func setPresence(_ state: Presence.State) async throws {
        guard state != .offline else {
            throw KithError(
                .invalid, "A device cannot set itself offline. Set invisible, or stop running the client.",
                field: "state")
        }
        try await client.presence.show(state)
    }
}

extension NetworkContact {
    /// Whether I may see their presence.
    fileprivate var hasPresence: Bool { relation == .connected && !isBlocked }
}

extension Network {
    // MARK: Requests

    /// Sends a contact request. If they have sent one to me, accepts it instead. If I have already sent one, resends
    /// it.
    ///
    /// - Throws: ``KithError`` with `yourself`, `alreadyConnected`, `tooSoon`, `full`, or `forbidden` if I have blocked
    ///   them.
    public func connect(_ id: AccountID) async throws { try await client.edit { try $0.connect(id) } }

    /// Accepts a request, even one that I have declined.
    ///
    /// - Throws: ``KithError`` with `noRequest`, `alreadyConnected`, or `forbidden` if I have blocked them.
    public func accept(_ id: AccountID) async throws { try await client.edit { try $0.accept(id) } }

    /// Declines a request. The other person does not see this; for them the request still looks sent.
    ///
    /// - Throws: ``KithError`` with `noRequest` or `alreadyConnected`.
    public func decline(_ id: AccountID) async throws { try await client.edit { try $0.decline(id) } }

    /// Withdraws a request that I have sent.
    ///
    /// - Throws: ``KithError`` with `noRequest` or `alreadyConnected`.
    public func cancel(_ id: AccountID) async throws { try await client.edit { try $0.cancel(id) } }

    /// Resends a request that I have sent, at the earliest `Limits.resend` after the other person was last notified.
    ///
    /// - Throws: ``KithError`` with `noRequest`, `alreadyConnected`, or `tooSoon` with the remaining time.
    public func resend(_ id: AccountID) async throws { try await client.edit { try $0.resend(id) } }

    /// Ends a connection on both sides.
    ///
    /// - Throws: ``KithError`` with `notFound` if we are not connected.
    public func remove(_ id: AccountID) async throws { try await client.edit { try $0.remove(id) } }

    // MARK: Blocking and muting

    /// Blocks an account, which need not be a contact. The blocked person cannot see that.
    ///
    /// - Throws: ``KithError`` with `yourself` or `full`.
    public func block(_ id: AccountID) async throws { try await client.edit { try $0.block(id) } }

    /// Unblocks an account. The relation is the same as before the block.
    ///
    /// - Throws: ``KithError`` with `notFound` if there is no contact record for it.
    public func unblock(_ id: AccountID) async throws { try await client.edit { try $0.unblock(id) } }

    /// Mutes an account from now on, until a time or until I unmute it.
    ///
    /// - Throws: ``KithError`` with `yourself` or `full`, or `invalid` if the time has passed.
    public func mute(_ id: AccountID, until end: Date? = nil) async throws {
        try await client.edit { try $0.mute(id, until: end) }
    }

    /// Unmutes an account.
    ///
    /// - Throws: ``KithError`` with `notFound` if there is no contact record for it.
    public func unmute(_ id: AccountID) async throws { try await client.edit { try $0.unmute(id) } }
}

extension Network {
    /// Changes of the people in a view. The stream first sends the current people (origin `state`), then each change
    /// once, as soon as it can be read.
    ///
    /// Someone who leaves the view is reported as removed, for whatever reason; someone who enters it, as added. When
    /// the first round has written everything, one signal has ``NetworkChanges/isPopulated`` set.
    ///
    /// The stream ends if its observer is ``KithClient/unreadChanges`` changes behind. To go on, call `changes()`
    /// again.
    public func changes(in view: NetworkView = .network) -> AsyncStream<NetworkChanges> {
        client.signals {
            NetworkChanges(
                added: try NetworkContact.fetchAll(in: view, of: $0), origin: .state,
                isPopulated: $0.account.isPopulated)
        } each: { announcement in
            if announcement == .populated { return NetworkChanges(origin: .server, isPopulated: true) }
            return announcement.contacts.map { $0.changes(in: view) }.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}

extension KithClient {
    /// The people I am connected with, and my own profile.
    public var network: Network { Network(client: self) }

    /// Pictures that are being fetched.
    var pictures: PictureFetching { parts.part { PictureFetching() } }
}
