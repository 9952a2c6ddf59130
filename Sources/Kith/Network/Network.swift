public import Foundation
import GRDB
public import KithModel

/// The people I am connected with, and what I say of myself: `client.network`.
///
/// ```swift
/// try await client.network.updateProfile { $0.given = "Ada" }
/// try await client.network.connect(grace)
/// for await changes in client.network.changes() { show(changes) }
/// ```
///
/// Everything is read from the replica, without the server; what is fetched when it is asked for (details, pictures,
/// the directory) says so. Edits are written on the device first, show at once, and are sent by the next round. What the
/// device knows to be impossible is an error at once; what only the server knows comes as a ``Rejection``.
public struct Network: Sendable {
    let client: KithClient

    func edit<T: Sendable>(_ body: @escaping @Sendable (Changes) throws -> T) async throws -> T {
        try await client.edit(isGroup: false, body)
    }

    // MARK: My profile

    /// What I say of myself; empty as long as I have said nothing.
    public func profile() async throws -> Profile {
        try await client.replica.read { try Profile.fetch($0, $1.key) }
    }

    /// My profile, now and after each change. Ends if the replica cannot be read; any getter then says why.
    public func profiles() -> AsyncStream<Profile> {
        client.live { try Profile.fetch($0, $1.key) }
    }

    /// Changes my profile as it is now. What `change` leaves alone stays as another device may have made it meanwhile.
    ///
    /// A picture is changed by ``setPicture(small:large:)``.
    ///
    /// - Throws: ``KithError`` with `invalid` if a text is too long, or there are too many of something; whatever `change`
    ///   throws.
    public func updateProfile(_ change: @escaping @Sendable (inout Profile) throws -> Void) async throws {
        try await edit { try $0.updateProfile(change) }
    }

    // MARK: People

    /// My network: those I am connected with, in the order of their names. No bots, nobody blocked, and not myself.
    public func contacts() async throws -> [NetworkContact] { try await contacts(in: .network) }

    /// The people of a view, in the order of their names.
    public func contacts(in view: NetworkView) async throws -> [NetworkContact] {
        try await client.replica.read { try NetworkContact.fetchAll($0, $1, in: view) }.sortedByName()
    }

    /// The people of a view, now and after each change. Ends if the replica cannot be read; any getter then says why.
    public func live(_ view: NetworkView = .network) -> AsyncStream<[NetworkContact]> {
        client.live { try NetworkContact.fetchAll($0, $1, in: view).sortedByName() }
    }

    /// Those who have asked to be connected, and wait for my answer; the latest first.
    public func requests() async throws -> [NetworkContact] {
        try await contacts(in: .requests).sorted { ($0.asked?.milliseconds ?? 0) > ($1.asked?.milliseconds ?? 0) }
    }

    /// How many wait for my answer.
    public func pendingCount() async throws -> Int {
        try await client.replica.read { try NetworkContact.fetchAll($0, $1, in: .requests).count }
    }

    /// The people that I have asked, and who have not accepted.
    public func sentRequests() async throws -> [NetworkContact] { try await contacts(in: .sent) }

    /// The people that I have blocked.
    public func blocked() async throws -> [NetworkContact] { try await contacts(in: .blocked) }

    /// Those who are muted now.
    public func muted() async throws -> [NetworkContact] {
        let now = client.replica.dependencies.now()
        return try await contacts(in: .muted).filter { $0.isMuted(at: now) }
    }

    /// Programs that I am connected with.
    public func bots() async throws -> [NetworkContact] { try await contacts(in: .bots) }

    /// Everyone I have, or had, to do with: also those who were removed, who no longer show me a name once that is sent.
    package func acquaintances() async throws -> [NetworkContact] {
        try await client.replica.read { try NetworkContact.fetchAll($0, $1.key) }
    }

    /// Someone I have to do with, in whichever view; nil if there is no such contact.
    public func contact(_ id: AccountID) async throws -> NetworkContact? {
        try await client.replica.read { try NetworkContact.fetch($0, $1.key, id) }
            .flatMap { $0.isSomebody ? $0 : nil }
    }

    /// The people of a view where each word of `text` begins a word of the name, the work or the company. Accents and
    /// capitals do not matter. Needs no server.
    ///
    /// - Returns: None if nothing was found, or `text` has no word.
    public func search(_ text: String, in view: NetworkView = .network) async throws -> [NetworkContact] {
        try await contacts(in: view).matching(text)
    }
}

extension Network {
    // MARK: Details, which are fetched when they are asked for

    /// All that someone shows me: phones, emails, addresses …
    ///
    /// Of a contact they are kept, and the server is only asked when there is something new. Offline it is what the
    /// device knows, and ``Person/isComplete`` says if that is not all. What has come is also told to those who listen,
    /// as an update of that contact with the key `details`.
    ///
    /// - Throws: ``KithError`` with `notFound` if there is no such account; of someone who is no contact, also `offline`,
    ///   `busy`, `noServer` …
    public func details(of id: AccountID) async throws -> Person {
        let known = try await client.replica.read { try Person.fetch($0, $1.key, id) }
        if let known, known.isComplete { return known }
        do {
            return try await fetchDetails(of: id)
        } catch let error as KithError where error.isForNow {
            if let known { return known }
            throw error
        }
    }

    /// The details of one contact, now and after each change of them; other contacts change nothing here. New ones are
    /// fetched as soon as the device learns that there are some. nil while there is no such contact.
    ///
    /// Ends if the replica cannot be read; any getter then says why.
    public func liveDetails(of id: AccountID) -> AsyncStream<Person?> {
        let values = client.live { try Person.fetch($0, $1.key, id) }
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                for await person in values {
                    continuation.yield(person)
                    // What comes is a new value of the stream. If nothing does, the next change asks again.
                    if let person, !person.isComplete { _ = try? await fetchDetails(of: id) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func fetchDetails(of id: AccountID) async throws -> Person {
        let relation = try await client.replica.read { try NetworkContact.fetch($0, $1.key, id)?.relation }
        let (shown, me) = try await client.engine.withAccount { connection, token, me in
            (try await connection.account(id, token: token), me)
        }
        guard shown.account == id else {
            throw KithError(.malformed, "The server has told of another account than \(id).")
        }
        return try await client.replica.write(origin: .server) { transaction in
            let account = transaction.account
            let contact = try NetworkContact.fetch(transaction.db, account.key, id)
            // What came after another account became the current one, or after access was lost, is not kept.
            guard account.id == me, let contact, contact.relation == relation,
                contact.isSomebody
            else { return Person(shown) }
            let details = Details(shown)
            if try Details.fetch(transaction.db, account.key, id) != details {
                try details.save(transaction.db, account.key, id)
                transaction.arrived[id, default: []].insert(.details)
            }
            return Person(shown)
        }
    }
}

extension KithError {
    /// Whether another time might do: what the device knows will do until then.
    var isForNow: Bool { [.offline, .busy, .noServer, .unauthorized].contains(code) }
}

/// Whom a search of the directory found.
public struct DirectoryFinding: Hashable, Sendable {
    /// Those who match, in the order of their names; at most ``Limits/directory``.
    public let people: [Person]
    /// Whether more match than are named: a longer name finds fewer.
    public let hasMore: Bool
}

extension Network {
    /// Asks the server for people by name, among those who let themselves be listed.
    ///
    /// - Parameter name: One to ``Limits/directoryName`` characters, at most ``Limits/directoryWords`` words, one of two
    ///   letters at least; each is the beginning of a word of the name.
    /// - Returns: Nobody if nobody was found.
    /// - Throws: ``KithError`` with `invalid`, `offline`, `busy`, `unauthorized` or `noServer`: who asks in vain is told so.
    public func searchDirectory(_ name: String) async throws -> DirectoryFinding {
        guard DirectoryName(sought: name) != nil else { throw KithError(.invalid, DirectoryName.rule, field: "name") }
        let answer = try await client.engine.withSession { try await $0.directory(name: name, token: $1) }
        return DirectoryFinding(people: answer.people.map(Person.init), hasMore: answer.more ?? false)
    }
}

extension Network {
    // MARK: Pictures, which are fetched when they are asked for

    /// How many bytes of pictures are kept of one account: those that were not used for the longest make room.
    public static let pictureBytes = 64 * 1024 * 1024

    /// Gives my profile a picture, in the two sizes that the app has made of it: JPEG, PNG or WebP.
    ///
    /// It shows here at once, and is sent before the profile names it. One that the server refuses comes back as a
    /// ``Rejection``.
    ///
    /// - Throws: ``KithError`` with `invalid` if it is too large, or of another kind.
    public func setPicture(small: Data, large: Data) async throws {
        try await edit { try $0.setPicture(small: small, large: large) }
    }

    /// Takes my profile's picture away.
    public func removePicture() async throws { try await edit { try $0.removePicture() } }

    /// My own picture; nil if I have none.
    ///
    /// - Throws: ``KithError`` with `offline` … if another device has set it and it cannot be fetched now.
    public func picture(_ size: PictureSize) async throws -> Data? {
        let (me, picture) = try await client.replica.read { ($1.id, try Profile.fetch($0, $1.key).picture) }
        guard let hash = size.hash(in: picture) else { return nil }
        return try await bytes(hash, of: me, size)
    }

    /// Someone's picture; nil if they have none, or do not show it to me.
    ///
    /// A contact's is fetched once and kept. When it has come, all who listen hear of an update with the key `picture`.
    ///
    /// - Throws: ``KithError`` with `offline`, `busy`, `noServer` … if it cannot be fetched now.
    public func picture(of id: AccountID, _ size: PictureSize) async throws -> Data? {
        let (me, contact) = try await client.replica.read { ($1.id, try NetworkContact.fetch($0, $1.key, id)) }
        if id == me { return try await picture(size) }
        // Of a stranger it is not known whether there is one.
        guard let contact, contact.isSomebody else {
            return try await bytes(nil, of: id, size)
        }
        guard let hash = size.hash(in: contact.picture) else { return nil }
        return try await bytes(hash, of: id, size)
    }

    private func bytes(_ hash: String?, of owner: AccountID?, _ size: PictureSize) async throws -> Data? {
        if let hash, let kept = try await kept(hash) { return kept }
        guard let owner else { return nil }
        let client = client
        let asker = try await client.session.account() ?? owner
        let key = PictureFetching.Key(asker: asker, owner: owner, size: size, hash: hash)
        return try await client.pictures.data(key) {
            let (bytes, me) = try await client.engine.withAccount { connection, token, me in
                (try await connection.picture(of: owner, size, token: token), me)
            }
            guard let bytes else { return nil }
            try await Self.keep(bytes, of: owner, for: me, client)
            return bytes
        }
    }

    private func kept(_ hash: String) async throws -> Data? {
        let now = client.replica.dependencies.now()
        let (kept, isUseStale) = try await client.replica.read { db, account in
            let cache = PictureCache(db: db, account: account.key)
            return (try cache.bytes(hash), try cache.isUseStale(hash, at: now))
        }
        if kept != nil && isUseStale {
            try await client.replica.write {
                try PictureCache(db: $0.db, account: $0.account.key).noteUse(hash, at: now)
            }
        }
        return kept
    }

    /// Keeps a picture that has come, under what it is, if anyone still shows it.
    private static func keep(_ bytes: Data, of owner: AccountID, for me: AccountID, _ client: KithClient) async throws {
        let hash = SHA256(Array(bytes)[...]).hex
        try await client.replica.write(origin: .server) { transaction in
            guard transaction.account.id == me else { return }
            let cache = PictureCache(db: transaction.db, account: transaction.account.key)
            let own = try Profile.fetch(transaction.db, transaction.account.key).picture
            let contacts = try cache.contacts(with: hash)
            guard !contacts.isEmpty || own?.small == hash || own?.large == hash else { return }
            try cache.save(bytes, hash, at: transaction.now, limit: client.pictureBytes)
            for contact in contacts { transaction.arrived[contact, default: []].insert(.picture) }
        }
    }
}

extension Network {
    // MARK: Presence

    /// How someone of my network is just now.
    ///
    /// It comes over the live stream while ``KithClient/run()`` runs, is kept in memory only, and a change of it is told as
    /// an update of the contact with the key `presence`. Someone who is invisible or has blocked me looks offline.
    ///
    /// - Returns: nil where it is not known: without a live stream, and for anyone that I am not connected with or have
    ///   blocked.
    public func presence(of id: AccountID) async throws -> Presence? {
        let engine = client.engine
        return try await client.replica.read { db, account in
            // What was told of someone stays unknown as long as, and as soon as, they are not in the network.
            guard let contact = try NetworkContact.fetch(db, account.key, id), contact.hasPresence else { return nil }
            return engine.presence(of: id, on: account.device)
        }
    }

    /// Those of my network who are there just now, and how they are; whoever is not named is offline or not known.
    public func presences() async throws -> [AccountID: Presence] {
        let engine = client.engine
        return try await client.replica.read { db, account in
            try engine.present(on: account.device).filter { id, _ in
                try NetworkContact.fetch(db, account.key, id)?.hasPresence ?? false
            }
        }
    }

    /// Asks the server how someone of my network is, and when they were last online, if they let me know.
    ///
    /// - Throws: ``KithError`` with `notFound` for anyone that I am not connected with; `offline`, `busy`, `unauthorized`,
    ///   `noServer`.
    public func currentPresence(of id: AccountID) async throws -> Presence {
        try await client.engine.withSession { try await $0.presence(of: id, token: $1) }
    }

    /// Sets what this device is shown as to my network: online, away, busy or invisible.
    ///
    /// It lasts as long as this client, begins with each live stream, and holds while one is open; without one I am
    /// offline. Of several devices invisible counts first, then busy; otherwise the most available. To be seen by nobody from
    /// the start, set `invisible` before ``KithClient/run()``.
    ///
    /// - Throws: ``KithError`` with `invalid` for `offline`; `busy` or `unauthorized` if the server refused just now: the
    ///   next live stream says it all the same.
    public func setPresence(_ state: Presence.State) async throws {
        guard state != .offline else {
            throw KithError(
                .invalid, "Nobody is offline by saying so: be invisible, or stop running the client.", field: "state")
        }
        try await client.engine.setPresence(state)
    }
}

extension NetworkContact {
    /// Whether I can know how they are.
    fileprivate var hasPresence: Bool { relation == .connected && !isBlocked }
}

extension Network {
    // MARK: Requests

    /// Asks someone to be connected; accepts, if they have asked me. Where a request has been sent already, it is sent again.
    ///
    /// - Throws: ``KithError`` with `yourself`, `alreadyConnected`, `tooSoon`, `full`, or `forbidden` if I have blocked them.
    public func connect(_ id: AccountID) async throws { try await edit { try $0.connect(id) } }

    /// Accepts a request, also one that I had declined.
    ///
    /// - Throws: ``KithError`` with `noRequest`, `alreadyConnected`, or `forbidden` if I have blocked them.
    public func accept(_ id: AccountID) async throws { try await edit { try $0.accept(id) } }

    /// Declines a request. The other does not see it: to them the request stays sent.
    ///
    /// - Throws: ``KithError`` with `noRequest` or `alreadyConnected`.
    public func decline(_ id: AccountID) async throws { try await edit { try $0.decline(id) } }

    /// Takes a request of mine back.
    ///
    /// - Throws: ``KithError`` with `noRequest` or `alreadyConnected`.
    public func cancel(_ id: AccountID) async throws { try await edit { try $0.cancel(id) } }

    /// Sends a request of mine once more, ``Limits/resend`` after the other was last told of it at the earliest.
    ///
    /// - Throws: ``KithError`` with `noRequest`, `alreadyConnected`, or `tooSoon` with the time that is left.
    public func resend(_ id: AccountID) async throws { try await edit { try $0.resend(id) } }

    /// Ends a connection, for both.
    ///
    /// - Throws: ``KithError`` with `notFound` if we are not connected.
    public func remove(_ id: AccountID) async throws { try await edit { try $0.removeContact(id) } }

    // MARK: Blocking and muting

    /// Blocks anyone, also a stranger. They cannot tell.
    ///
    /// - Throws: ``KithError`` with `yourself` or `full`.
    public func block(_ id: AccountID) async throws { try await edit { try $0.block(id) } }

    /// Unblocks someone: they are to me what they were before.
    ///
    /// - Throws: ``KithError`` with `notFound` if I never had to do with them.
    public func unblock(_ id: AccountID) async throws { try await edit { try $0.unblock(id) } }

    /// Mutes someone from now on, until a time or until I unmute them.
    ///
    /// - Throws: ``KithError`` with `yourself` or `full`, or `invalid` if the time is over.
    public func mute(_ id: AccountID, until end: Date? = nil) async throws {
        try await edit { try $0.mute(id, until: end) }
    }

    /// Unmutes someone.
    ///
    /// - Throws: ``KithError`` with `notFound` if I never had to do with them.
    public func unmute(_ id: AccountID) async throws { try await edit { try $0.unmute(id) } }
}

extension Network {
    /// Changes of the people of a view: first who is there (origin `state`), then each change once, after it can be read.
    ///
    /// Who leaves the view is told as removed, whatever the reason; who comes into it, as added. Once the first round has
    /// written everything, one signal says so: ``NetworkChanges/isPopulated``.
    ///
    /// A listener that falls ``KithClient/unreadChanges`` changes behind is ended. To go on, call `changes()` again.
    public func changes(in view: NetworkView = .network) -> AsyncStream<NetworkChanges> {
        client.signals {
            NetworkChanges(
                added: try NetworkContact.fetchAll($0, $1, in: view), origin: .state, isPopulated: $1.isPopulated)
        } each: { announcement in
            switch announcement {
            case .contacts(let differences):
                let changes = differences.changes(in: view)
                return changes.isEmpty ? nil : changes
            case .populated: return NetworkChanges(origin: .server, isPopulated: true)
            default: return nil
            }
        }
    }
}
