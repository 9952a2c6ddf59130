import ArgumentParser

/// What is mistyped in arguments that were not understood: the name of a command, or of an option.
///
/// ArgumentParser hears a command's own rules before it looks for options that there are not, and takes a mistyped
/// command for an argument of the one that goes without saying.
struct Mistyping {
    let failure: Failure

    /// What is mistyped in `arguments`, of which `message` complains about something else; nil if nothing is.
    init?(_ arguments: [String], of root: any ParsableCommand.Type, message: String) {
        var path = ["kith"]
        var command = root
        var rest = arguments[...]
        while let word = rest.first, let next = command.subcommand(named: word) {
            path.append(word)
            command = next
            rest = rest.dropFirst()
        }
        let name = path.joined(separator: " ")
        let names = command.subcommands.map { $0._commandName }
        if let word = rest.first, !word.hasPrefix("-"), !names.isEmpty, message.contains("nexpected argument") {
            failure = Self.failure("There is no command “\(name) \(word)”.", word, among: names) { "\(name) \($0)" }
            return
        }
        let options = (command.configuration.defaultSubcommand ?? command).options
        let typed = rest.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { $0.prefix { $0 != "=" } }
        let unknown = typed.first { !options.contains($0) && !message.contains("'\($0)'") }
        guard let word = unknown else { return nil }
        failure = Self.failure(
            "“\(name)” has no option \(word).", String(word), among: options.map(String.init).sorted()
        ) { $0 }
    }

    private static func failure(
        _ sentence: String, _ word: String, among names: [String], _ shown: (String) -> String
    ) -> Failure {
        let nearest = Similarity(to: word).nearest(of: names, limit: 3)
        return Failure(
            .usage, "usage", sentence + (nearest.isEmpty ? " There are:" : " Did you mean:"),
            candidates: (nearest.isEmpty ? names : nearest).map(shown))
    }
}

extension ParsableCommand {
    fileprivate static var subcommands: [any ParsableCommand.Type] {
        configuration.ungroupedSubcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
    }

    /// The command below this one that is called `word`.
    static func subcommand(named word: String) -> (any ParsableCommand.Type)? {
        subcommands.first { $0._commandName == word || $0.configuration.aliases.contains(word) }
    }

    /// The long options that its help names.
    fileprivate static var options: Set<Substring> {
        Set(helpMessage(includeHidden: true, columns: 10_000).matches(of: /--[a-z][a-z\-]*/).map(\.output))
    }
}
