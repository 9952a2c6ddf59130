import ArgumentParser

/// The command that the arguments name, and its remaining words.
struct TypedCommand {
    /// The names of the command and of those above it, without `kith`.
    let path: [String]
    let command: any ParsableCommand.Type
    /// The words after the command's name.
    let rest: ArraySlice<String>

    /// The command that `arguments` name among those below `root`, whose own names are `path`.
    init(_ arguments: [String], of root: any ParsableCommand.Type, path: [String] = []) {
        var (path, command, rest) = (path, root, arguments[...])
        while let word = rest.first, let next = command.subcommand(named: word) {
            path.append(word)
            command = next
            rest = rest.dropFirst()
        }
        (self.path, self.command, self.rest) = (path, command, rest)
    }

    /// The command as it is typed: `kith lists`.
    var name: String { (["kith"] + path).joined(separator: " ") }

    /// The names of the commands below it.
    var commands: [String] { command.subcommands.map { $0._commandName } }

    /// The command that runs if no subcommand is named: one of the subcommands, or the command itself.
    private var runs: any ParsableCommand.Type { command.configuration.defaultSubcommand ?? command }

    /// Whether the first word can be an argument if it is no subcommand.
    var takesArguments: Bool {
        (commands.isEmpty || command.configuration.defaultSubcommand != nil) && help.contains("\nARGUMENTS:")
    }

    /// The long options.
    var options: Set<String> { Set(help.matches(of: /--[a-z][a-z\-]*/).map { String($0.output) }) }

    /// The options that take a value, long and short.
    var valueOptions: Set<String> {
        Set(help.matches(of: /(-[a-z]), (--[a-z\-]+) </).flatMap { [String($0.1), String($0.2)] })
            .union(help.matches(of: /(--[a-z][a-z\-]*) </).map { String($0.1) })
    }

    /// The first word that is neither an option nor the value of one.
    var firstWord: String? { ownWords.first { !$0.hasPrefix("-") } }

    /// The first word that begins with one dash, and is neither an option, nor the value of one, nor a number.
    var dashedWord: String? {
        let options = Set(help.matches(of: /(-[a-z]), --/).map { String($0.1) })
        return ownWords.first { word in
            word.hasPrefix("-") && !word.hasPrefix("--") && word.count > 1 && Double(word) == nil
                && !options.contains(String(word.prefix(2)))
        }
    }

    /// The words before `--` that are not values of options.
    private var ownWords: [String] {
        let options = valueOptions
        var words = rest.prefix { $0 != "--" }
        var own: [String] = []
        while let word = words.popFirst() {
            own.append(word)
            if options.contains(word) { _ = words.popFirst() }
        }
        return own
    }

    /// The command below this one that was typed after options, which stand in its place; nil if there is none.
    var later: TypedCommand? {
        let words = rest.prefix { $0 != "--" }
        var mayBeValue = false
        for (index, word) in zip(words.indices, words) {
            if command.subcommand(named: word) != nil {
                return TypedCommand(Array(rest[index...]), of: command, path: path)
            }
            guard word.hasPrefix("-") || mayBeValue else { return nil }
            mayBeValue = word.hasPrefix("-") && !word.contains("=")
        }
        return nil
    }

    private var help: String { runs.helpMessage(includeHidden: true, columns: 10_000) }
}

extension ParsableCommand {
    /// The commands below this one, in the order of the help.
    static var subcommands: [any ParsableCommand.Type] {
        configuration.ungroupedSubcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
    }

    /// The subcommand called `word`.
    static func subcommand(named word: String) -> (any ParsableCommand.Type)? {
        subcommands.first { $0._commandName == word || $0.configuration.aliases.contains(word) }
    }
}
