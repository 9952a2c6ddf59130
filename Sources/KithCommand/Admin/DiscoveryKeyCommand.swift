import ArgumentParser
import Foundation
import KithModel
import KithServer

/// `kith admin discovery`: the secret keys of discovery.
struct DiscoveryKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discovery", abstract: "Show and renew the secret discovery keys.",
        subcommands: [Show.self, Rotate.self], defaultSubcommand: Show.self)

    struct Show: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the keys, and how many identities can be found.")
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer { try await admin.keyListing() }
    }

    struct Rotate: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Make a new key, and evaluate all identities with it.",
            discussion: """
                When that is done the new key is the current one. The old one is served for 30 days more, in which devices \
                move over one by one. If this is stopped, the server goes on with it; or repeat it with --resume.
                """)
        @Flag(help: "Resume the interrupted renewal instead of making another key.") var resume = false
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let keys = try await admin.keysOfServer()
            let upkeep = DiscoveryUpkeep(database: admin.database, keys: keys)
            // If the operator rotates before the server's first start, only one key remains.
            try await upkeep.run(at: Timestamp(.now))
            if resume { return try await admin.keyListing(saying: "No new key is in preparation any more.") }
            _ = try keys.add()
            try await admin.console.progress("Evaluating everybody") { try await upkeep.run(at: Timestamp(.now)) }
            return try await admin.keyListing(saying: "Discovery uses the new key from now on.")
        }
    }
}

extension AdminContext {
    /// The keys that the database and the file know.
    fileprivate func keyListing(saying sentence: String? = nil) async throws -> CommandAnswer {
        let upkeep = DiscoveryUpkeep(database: database, keys: try await keysOfServer())
        let status = try await upkeep.status(at: Timestamp(.now))
        return CommandAnswer(
            [
                "identities": status.identities,
                "keys": status.keys.map { ["id": $0.id, "since": $0.since?.date, "until": $0.until?.date] as Shape },
            ]
        ) { colour in
            let table = Table(header: ["Key", "Current since", "Served until"], status.keys) { key in
                [
                    Table.Cell(key.id), Table.Cell(key.since?.date.day ?? "being made ready"),
                    Table.Cell(key.until?.date.day ?? ""),
                ]
            }
            return [sentence].compactMap(\.self) + table.lines(colour: colour) + [
                "Numbers and emails that can be found: \(status.identities)"
            ]
        }
    }
}
