import ArgumentParser
import Foundation
import Kith
import KithModel

/// The options that say what to share: by default, what was selected last in the programme.
struct ShareableChoice: ParsableArguments {
    @OptionGroup var programme: ProgrammeOption
    @Option(
        name: .customLong("of"),
        help: ArgumentHelp(
            "What to share: its key, its label, its code or the start of its id.", valueName: "shareable"))
    var named: String?
    @Option(
        help: ArgumentHelp(
            "The app's name for what to share, such as recipe-17. It is made at its first use.", valueName: "key"))
    var key: String?

    func validate() throws {
        if named != nil && key != nil { throw ValidationError("--of and --key cannot be used together.") }
    }

    /// What to share. It is made at its first use.
    func shareable(_ context: CommandContext) async throws -> Shareable {
        if let named { return try await context.sharing.shareable(named: named, in: programme.name) }
        let name = try await programme.resolve(context)
        if let key { return try await context.sharing.shareable(in: name, key: key) }
        return try await context.sharing.selected(in: name)
    }

    /// What to share, after `change` and after an attempt to send both.
    func sent(
        _ context: CommandContext, after change: (Shareable) async throws -> Void = { _ in }
    ) async throws -> Shareable {
        let shareable = try await context.sending {
            let shareable = try await self.shareable(context)
            try await change(shareable)
            return shareable
        }
        return try await context.sharing.shareable(shareable.id) ?? shareable
    }
}

extension Sharing {
    /// The shareable that `text` names by its key, its label, its code, a link or the start of its id.
    func shareable(named text: String, in programme: String? = nil) async throws -> Shareable {
        let all = try await shareables().filter { programme == nil || $0.programme == programme }
        if let code = try? ShareCode(link: text), let found = all.first(where: { $0.code == code }),
            Reference(text).fitting(among: all.map(\.nameable)).isEmpty
        {
            return found
        }
        return try Reference(text).find(in: all, kind: "shareable", listedBy: "kith share") { $1.nameable }
    }

    /// Whether the operator has paused the programme of a shareable: what the server says now. Without it, what it has said
    /// last.
    func isPausedNow(_ id: ShareableID) async throws -> Bool {
        _ = try? await knownProgrammes(maxAge: .zero)
        return try await isPaused(id)
    }

    /// The link of a shareable, also while the command is offline; nil if no server is set.
    func link(of shareable: Shareable, by channel: ShareChannel? = nil, at location: CommandLocation) -> String? {
        if let link = try? link(of: shareable, by: channel) { return link }
        return location.server.map { ShareLink(shareable.code, channel: channel).address(server: $0.absoluteString) }
    }

    /// The shareable for `--json`.
    func shape(of shareable: Shareable, at location: CommandLocation) async throws -> Shape {
        shareable.shape(link: link(of: shareable, at: location), isReady: try await isReady(shareable.id))
    }
}
