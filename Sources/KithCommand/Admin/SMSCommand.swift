import ArgumentParser
import Foundation
import KithModel
import KithServer

/// `kith admin sms`: the paused prefixes of phone numbers.
struct SMSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sms", abstract: "Show and release the prefixes of numbers that get no SMS.",
        discussion: """
            The server pauses a prefix if fewer than a fifth of the last 50 codes to its numbers were entered. Such codes are \
            often requested by fraudsters, who earn from each SMS (SMS pumping).
            """,
        subcommands: [Paused.self, Release.self], defaultSubcommand: Paused.self)

    struct Paused: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "paused", abstract: "Show the paused prefixes, newest first.")
        @OptionGroup var files: ServerFiles
        @OptionGroup var listing: ListingOptions

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let limit = listing.limit
            let paused = try await admin.database.read { try PausedPrefix.all(limit, in: $0) }
            let shapes: [Shape] = paused.map {
                [
                    "prefix": $0.prefix.text, "since": $0.since.date, "entered": $0.entered, "judged": $0.judged,
                ]
            }
            return CommandAnswer(["paused": shapes]) { colour in
                if paused.isEmpty { return ["No prefix is paused."] }
                let table = Table(header: ["Prefix", "Since", "Entered codes"], paused) { one in
                    [
                        Table.Cell("\(one.prefix)…"), Table.Cell(one.since.date.day),
                        Table.Cell("\(one.entered) of \(one.judged)"),
                    ]
                }
                return table.lines(colour: colour)
                    + ["To send to one of them again: kith admin sms release PREFIX"]
            }
        }
    }

    struct Release: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "release",
            abstract: "Send SMS to a prefix again. Only later codes count.")
        @Argument(help: "The prefix, such as +43664123.") var prefix: String
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            guard let named = NumberPrefix(prefix.filter { $0 != "…" && $0 != " " }) else {
                throw Failure.usage("“\(prefix)” is not a prefix. Write a plus and digits, such as +43664123.")
            }
            let isReleased = try await admin.database.write {
                try PausedPrefix.release(named, at: Timestamp(.now), in: $0)
            }
            guard isReleased else {
                throw Failure.notFound("The prefix \(named) is not paused. See: kith admin sms")
            }
            return CommandAnswer(["released": named.text], "SMS go to numbers that begin with \(named) again.")
        }
    }
}
