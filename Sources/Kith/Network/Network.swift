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

    /// Those whom I have asked, and who have not accepted.
    public func sentRequests() async throws -> [NetworkContact] { try await contacts(in: .sent) }

    /// Those whom I have blocked.
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

    /// The people of a view of whom each word of `text` begins a word of the name, the work or the company. Accents and
    /// capitals do not matter. Needs no server.
    ///
    /// - Returns: None if nothing was found, or `text` has no word.
    public func search(_ text: String, in view: NetworkView = .network) async throws -> [NetworkContact] {
        try await contacts(in: view).matching(text)
    }
}
