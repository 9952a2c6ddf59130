import ArgumentParser
import Foundation

/// The program: `kith serve`, and the client's commands.
@main struct KithCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kith",
        abstract: "Lists and people that work offline and stay in sync, and the contacts of every address book.",
        discussion: """
            A LIST is its name, the start of its name, or the start of its id; an ITEM also its number in the listing;
            a PERSON is a name or an account id, or the start of either.
            The options of all client commands may stand before or after the command.
            Documentation/CommandLine.md describes exit codes, environment and JSON.
            """,
        version: "kith 0.1.0",
        subcommands: [Serve.self, AdminCommand.self],
        groupedSubcommands: [
            CommandGroup(name: "Lists", subcommands: [ListsCommand.self, ItemsCommand.self, UndoCommand.self]),
            CommandGroup(
                name: "People",
                subcommands: [
                    ProfileCommand.self, NetworkCommand.self, InviteCommand.self, ShareCommand.self,
                    ContactsCommand.self, DiscoverCommand.self,
                ]),
            CommandGroup(
                name: "Syncing",
                subcommands: [SyncCommand.self, StatusCommand.self, WatchCommand.self, RejectionsCommand.self]),
            CommandGroup(
                name: "This device",
                subcommands: [
                    AccountsCommand.self, SessionCommand.self, MoveListsCommand.self, DropDataCommand.self,
                ]),
        ])

    /// Runs the command that the arguments name, and ends the program with its status.
    static func main() async {
        let ordered = GlobalOptions.movedBehindCommand(Array(CommandLine.arguments.dropFirst()), of: Self.self)
        let arguments = NegativeNumbers.marked(OptionValues.marked(ordered, of: Self.self), of: Self.self)
        let console = Console(isJSON: arguments.prefix { $0 != "--" }.contains("--json"))
        do {
            if let failure = TypingMistake(inHelp: arguments, of: Self.self)?.failure { throw failure }
            var command = try await asyncParseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            await end(by: error, arguments, console)
        }
        leave(with: 0)
    }

    /// Ends the program at once, without cleanup. `exit` would destroy the tables of C++ libraries such as
    /// libphonenumber while a load of the address book may still be reading numbers.
    private static func leave(with status: Int32) -> Never {
        fflush(nil)
        _exit(status)
    }

    private static func end(by error: any Error, _ arguments: [String], _ console: Console) async -> Never {
        let isUsage = !(error is Failure) && exitCode(for: error) == .validationFailure
        let lists = isUsage && arguments.first == "lists" ? await ListNames.complete(arguments, 0, "") : []
        let mistyping =
            isUsage ? TypingMistake(arguments, of: Self.self, message: message(for: error), lists: lists) : nil
        if let failure = Failure(error) ?? mistyping?.failure {
            console.complain(failure)
            leave(with: failure.status.rawValue)
        }
        if console.isJSON && isUsage {
            console.complain(Failure.usage(sentence(of: error)))
            exit(withError: ExitCode.validationFailure)
        }
        if exitCode(for: error) == .success { end(with: fullMessage(for: error), console) }
        exit(withError: error)
    }

    /// Writes a text that was asked for, such as the help, and ends the program.
    private static func end(with text: String, _ console: Console) -> Never {
        do {
            if !text.isEmpty { try console.say(text) }
        } catch {
            if let failure = Failure(error) { console.complain(failure) }
            leave(with: ExitStatus.failed.rawValue)
        }
        leave(with: 0)
    }

    /// What is wrong with the arguments, and the help of the option that has a wrong value, as in the text.
    private static func sentence(of error: any Error) -> String {
        let message = message(for: error)
        let line = fullMessage(for: error).split(separator: "\n").first { $0.hasPrefix("Help:") }
        guard let help = line?.split(separator: "  ").last else { return message }
        // A message that lists the values ends with a full stop.
        return "\(message)\(message.hasSuffix(".") ? "" : ".") \(help)"
    }
}
