import ArgumentParser

/// The mistake in arguments that could not be parsed: the name of a command or an option, or a pair of options.
///
/// ArgumentParser checks the rules of a command before it looks for unknown options. It treats a mistyped command as an
/// argument of the default command, and for some mistakes it reports the option before the wrong one.
struct TypingMistake {
    let failure: Failure

    /// The mistake in `arguments`, for which ArgumentParser reports `message`; nil if there is none.
    ///
    /// `lists` are the names of the account's lists.
    init?(_ arguments: [String], of root: any ParsableCommand.Type, message: String, lists: [String]) {
        if let clash = Self.clash(message) {
            failure = clash
            return
        }
        let command = TypedCommand(arguments, of: root)
        if command.path.isEmpty, GlobalOptions.isAll(of: command.rest) {
            failure = Self.failure("A command is missing.", [], else: command.commands) { "\(command.name) \($0)" }
            return
        }
        let options = command.options.union(command.path.isEmpty ? GlobalOptions.names : [])
        let typed = command.rest.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
            .map { String($0.prefix { $0 != "=" }) }
        let later = command.later
        let unknown = typed.first { word in
            let isNamed = later == nil && !command.path.isEmpty && word != "--json" && message.contains("'\(word)'")
            return !options.contains(word) && (!isNamed || Self.equivalent(to: word, in: command) != nil)
        }
        if let word = command.firstWord, !command.commands.contains(word), Self.isCommand(word, after: command, message)
        {
            // The word is the value of a mistyped option, or of an option before the command that has it.
            let isValue =
                later != nil
                || typed.contains {
                    !options.contains($0)
                        && !Similarity(to: $0).nearest(of: GlobalOptions.names.sorted(), limit: 1).isEmpty
                }
            if !isValue {
                failure = Self.command(word, after: command, lists: lists)
                return
            }
        }
        if let unknown {
            failure = Self.option(unknown, of: command, among: options)
        } else if let misplaced = Self.misplacedWord(of: command, message) {
            failure = misplaced
        } else {
            return nil
        }
    }

    /// The mistake in `kith help …`; nil if the command exists.
    init?(inHelp arguments: [String], of root: any ParsableCommand.Type) {
        guard arguments.first == "help" else { return nil }
        let command = TypedCommand(Array(arguments.dropFirst()), of: root)
        if let word = command.firstWord {
            failure = Self.command(word, after: command, lists: [])
        } else if command.rest.contains("--json") {
            failure = Self.withoutJSON("kith help")
        } else {
            return nil
        }
    }

    private static func isCommand(_ word: String, after command: TypedCommand, _ message: String) -> Bool {
        if command.commands.isEmpty { return false }
        if !command.takesArguments { return true }
        // The word may also be an argument of the default command, with one too many behind it.
        let isMeant =
            equivalent(to: word, in: command) != nil
            || !Similarity(to: word).nearest(of: command.commands, limit: 1).isEmpty
        return isMeant && message.contains("nexpected argument")
    }

    /// Commands and options that other programs have, and what does the same here.
    private static let equivalents: [(typed: [String], advice: String, commands: [String])] = [
        (["kith lists delete", "kith lists rm"], "To remove a list:", ["kith lists remove"]),
        (["kith items list", "kith items ls"], "To see the items of a list:", ["kith items LIST"]),
        (["kith items done", "kith items check"], "To tick items:", ["kith items tick"]),
        (["kith items delete", "kith items rm"], "To remove items:", ["kith items remove"]),
        (
            ["kith contacts add", "kith contacts create", "kith contacts new"], "Contacts are imported as vCards:",
            ["kith contacts import FILE"]
        ),
        (["kith profile set --name"], "A name has two parts:", ["--given", "--family"]),
    ]

    /// The advice for a command or an option that another program has.
    private static func equivalent(
        to word: String, in command: TypedCommand
    ) -> (advice: String, commands: [String])? {
        equivalents.first { $0.typed.contains("\(command.name) \(word)") }.map { ($0.advice, $0.commands) }
    }

    /// The mistake that a word is neither an argument nor an option of the command; nil if there is no such word.
    private static func misplacedWord(of command: TypedCommand, _ message: String) -> Failure? {
        if command.path == ["lists", "show"], let list = command.firstWord, message.contains("nexpected argument") {
            return Failure.usage(
                "“\(command.name)” shows all lists. To see the items of one:",
                candidates: ["kith items \(list.shellWord)"])
        }
        guard command.takesArguments, let word = command.dashedWord else { return nil }
        return Failure.usage(
            "“\(command.name)” has no option \(word). If it is not an option, write -- before it: -- \(word.shellWord)")
    }

    private static func command(_ word: String, after command: TypedCommand, lists: [String]) -> Failure {
        let commands = command.commands
        let sentence = "There is no command “\(command.name) \(word)”."
        let isList = lists.contains { $0.folded == word.folded }
        if !isList, let equivalent = Self.equivalent(to: word, in: command) {
            return Failure.usage("\(sentence) \(equivalent.advice)", candidates: equivalent.commands)
        }
        let similarity = Similarity(to: word)
        if command.path == ["lists"] {
            let begun = lists.filter { $0.folded.hasPrefix(word.folded) }.prefix(3)
            let names = begun.isEmpty ? similarity.nearest(of: lists, limit: 3) : Array(begun)
            let account = GlobalOptions.value(of: "--account", in: Array(command.rest))
            let program = (["kith"] + (account.map { ["--account", $0.shellWord] } ?? [])).joined(separator: " ")
            if !names.isEmpty {
                return Failure.usage(
                    sentence + " To see the items of a list:",
                    candidates: names.map { "\(program) items \($0.shellWord)" })
            }
        }
        if commands.isEmpty { return Failure.usage(sentence) }
        let nearest = similarity.nearest(of: commands, limit: 3)
        if command.path == ["lists"] {
            return Failure.usage(
                sentence + (nearest.isEmpty ? " To see all commands:" : " Did you mean:"),
                candidates: (nearest + ["--help"]).map { "\(command.name) \($0)" })
        }
        return failure(sentence, nearest, else: commands) { "\(command.name) \($0)" }
    }

    /// The meaning of ArgumentParser's `message` if two options exclude each other; nil for other messages.
    private static func clash(_ message: String) -> Failure? {
        let form = /Value to be set with \w+ '([^']+)'.* had already been set with \w+ '([^']+)'/
        guard let match = message.firstMatch(of: form) else { return nil }
        let (later, earlier) = (match.output.1, match.output.2)
        return Failure.usage(
            later == earlier
                ? "\(later) is there twice. Use it once." : "Use either \(earlier) or \(later), and not both.")
    }

    private static func option(_ option: String, of command: TypedCommand, among options: Set<String>) -> Failure {
        if option == "--json" && command.commands.isEmpty { return withoutJSON(command.name) }
        if option == "--json" {
            return failure("“\(command.name) --json” needs a command.", [], else: command.commands) {
                "\(command.name) \($0)"
            }
        }
        if let equivalent = Self.equivalent(to: option, in: command) {
            return Failure.usage(
                "“\(command.name)” has no option \(option). \(equivalent.advice)", candidates: equivalent.commands)
        }
        let names = options.sorted()
        let nearest = Similarity(to: option).nearest(of: names + ["--json"], limit: 3)
        if let later = command.later, nearest.isEmpty || later.options.contains(option) {
            return Failure.usage(
                "“\(command.name)” has no option \(option). Write options of “\(later.name)” after it.")
        }
        return failure(
            "“\(command.name)” has no option \(option).", nearest, else: names
        ) { $0 }
    }

    private static func withoutJSON(_ name: String) -> Failure {
        Failure(
            .usage, "noJSON", "“\(name)” has no JSON: what it writes is for people. Repeat the command without --json.")
    }

    private static func failure(
        _ sentence: String, _ nearest: [String], else names: [String], _ shown: (String) -> String
    ) -> Failure {
        Failure.usage(
            sentence + (nearest.isEmpty ? " There are:" : " Did you mean:"),
            candidates: (nearest.isEmpty ? names : nearest).map(shown))
    }
}
