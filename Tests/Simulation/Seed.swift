import Foundation

/// The worlds of one seed: one of devices and their network, for every fifth seed one of accounts and servers, and for
/// other fifths of the seeds one in which people sign in, one in which they invite each other, and one in which they
/// share and are rewarded.
package struct Seed: Sendable {
    package let number: UInt64

    /// A kind of record that devices and servers know in addition to Kith's own.
    private let kind: SimulatedKind?

    /// Whether only the world of devices and their network runs.
    private let hasOnlyDevices: Bool

    /// The versions of devices and of the server; nil if they are random.
    private let versions: VersionPair?

    /// Where the servers have their databases.
    private let storage: ServerStorage

    package init(
        _ number: UInt64, kind: SimulatedKind? = nil, onlyDevices: Bool = false, versions: VersionPair? = nil,
        storage: ServerStorage = .memory
    ) {
        self.number = number
        self.kind = kind
        self.versions = versions
        self.storage = storage
        hasOnlyDevices = onlyDevices || kind != nil || versions != nil
    }

    /// Whether a world of accounts runs too. It uses complete clients and servers, so it is ten times as slow.
    private var hasAccounts: Bool { number.isMultiple(of: 5) && !hasOnlyDevices }

    /// Whether a world runs in which people sign in.
    private var hasSignIn: Bool { number % 5 == 3 && !hasOnlyDevices }

    /// Whether a world runs in which people invite each other.
    private var hasInvitations: Bool { number % 5 == 1 && !hasOnlyDevices }

    /// Whether a world runs in which people share and are rewarded.
    private var hasSharing: Bool { number % 5 == 4 && !hasOnlyDevices }

    /// Runs the worlds.
    ///
    /// - Returns: The law that does not hold, with all information for a replay; nil if all laws hold.
    package func failure() async -> String? {
        do {
            try await World(seed: number, kind: kind, versions: versions, storage: storage).run()
            if hasAccounts { try await AccountsWorld(seed: number, storage: storage).run() }
            if hasSignIn { try await AccountsWorld(seed: number, hasSignIn: true, storage: storage).run(steps: 100) }
            if hasInvitations { try await InvitationsWorld(seed: number, storage: storage).run() }
            if hasSharing { try await SharingWorld(seed: number, storage: storage).run() }
            return nil
        } catch let error as LawBroken {
            var broken = error
            broken.replayOptions = replayOptions
            return broken.description
        } catch {
            return "Seed \(number): \(error)\n\(Self.replay(of: number))\(replayOptions)"
        }
    }

    /// The events in the worlds, one line for each.
    package func timelines() async throws -> [String] {
        let world = try World(seed: number, kind: kind, versions: versions, storage: storage)
        do { try await world.run() } catch is LawBroken {}
        guard !hasOnlyDevices else { return world.timeline }
        let accounts = try AccountsWorld(seed: number, storage: storage)
        do { try await accounts.run() } catch is LawBroken {}
        let signIn = try AccountsWorld(seed: number, hasSignIn: true, storage: storage)
        do { try await signIn.run(steps: 100) } catch is LawBroken {}
        let invitations = try InvitationsWorld(seed: number, storage: storage)
        do { try await invitations.run() } catch is LawBroken {}
        let sharing = try SharingWorld(seed: number, storage: storage)
        do { try await sharing.run() } catch is LawBroken {}
        return world.timeline + accounts.timeline + signIn.timeline + invitations.timeline + sharing.timeline
    }

    /// Runs a world of sharing.
    ///
    /// - Returns: How often the auditor has known in advance what the server has to decide.
    /// - Throws: The law that does not hold.
    package func sharingCoverage() async throws -> SharingCoverage {
        let world = try SharingWorld(seed: number, storage: storage)
        try await world.run()
        return world.auditor.coverage
    }

    /// What to add to the command that replays a failure.
    private var replayOptions: String { (versions?.replayOptions ?? "") + storage.replayOptions }

    /// The command that replays a failure.
    static func replay(of seed: UInt64) -> String { "Replay: ./test simulate --seeds \(seed)..\(seed)" }
}
