import Foundation

/// The worlds of one seed: one of devices and their network, and for every fifth seed one of accounts and servers.
package struct Seed: Sendable {
    package let number: UInt64

    /// A kind of record that devices and servers know besides Kith's own.
    private let kind: SimulatedKind?

    package init(_ number: UInt64, kind: SimulatedKind? = nil) {
        self.number = number
        self.kind = kind
    }

    /// Whether a world of accounts is run too: its clients and servers are whole, and ten times as slow.
    private var hasAccounts: Bool { number.isMultiple(of: 5) && kind == nil }

    /// Runs the worlds.
    ///
    /// - Returns: The law that does not hold, with what is needed to see it again; nil if all hold.
    package func failure() async -> String? {
        do {
            try World(seed: number, kind: kind).run()
            if hasAccounts { try await AccountsWorld(seed: number).run() }
            return nil
        } catch let broken as LawBroken {
            return broken.description
        } catch {
            return "Seed \(number): \(error)\n\(Self.replay(of: number))"
        }
    }

    /// What happens in the worlds, line by line.
    package func timelines() async throws -> [String] {
        let world = try World(seed: number, kind: kind)
        do { try world.run() } catch is LawBroken {}
        guard kind == nil else { return world.timeline }
        let accounts = try AccountsWorld(seed: number)
        do { try await accounts.run() } catch is LawBroken {}
        return world.timeline + accounts.timeline
    }

    /// How to see a failure again.
    static func replay(of seed: UInt64) -> String { "Replay: ./test simulate --seeds \(seed)..\(seed)" }
}
