package import ArgumentParser

/// The options that every command of the client has.
package struct GlobalOptions: ParsableArguments, Sendable {
    @Option(
        name: .long,
        help: ArgumentHelp("The server's address. Without one, Kith is a local store.", valueName: "url"))
    package var server: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The folder of this device's data.", valueName: "folder"), completion: .directory)
    package var data: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Work with the data of another account on this device: see kith accounts.", valueName: "account"))
    package var account: String?

    @Flag(name: .long, help: "Answer in JSON.")
    package var json = false

    @Flag(name: .long, help: "Stay offline: only save; nothing is sent or fetched.")
    package var offline = false

    package init() {}

    /// The names of the global options, and whether each takes a value.
    private static let spelled = [
        "--server": true, "--data": true, "--account": true, "--json": false, "--offline": false,
    ]

    /// The global options as they are typed.
    static var names: Set<String> { Set(spelled.keys) }

    /// Whether `words` are global options and their values, and at least one.
    static func isAll(of words: ArraySlice<String>) -> Bool {
        var rest = words
        while let word = rest.popFirst() {
            if let takesValue = spelled[word] {
                rest = rest.dropFirst(takesValue ? 1 : 0)
            } else if !spelled.contains(where: { $0.value && word.hasPrefix($0.key + "=") }) {
                return false
            }
        }
        return !words.isEmpty
    }

    /// The value that `words` contain for a global option; nil if they contain none.
    static func value(of option: String, in words: [String]) -> String? {
        guard let at = words.lastIndex(where: { $0 == option || $0.hasPrefix(option + "=") }) else { return nil }
        if words[at] != option { return String(words[at].dropFirst(option.count + 1)) }
        return words.indices.contains(at + 1) ? words[at + 1] : nil
    }

    /// `arguments`, with global options before the command, or between its words, moved after the command.
    ///
    /// So `kith --json lists create Tea` means `kith lists create Tea --json`: ArgumentParser recognises an option only
    /// after the name of the command that has it. `kith help` keeps only `--json`, which it refuses: it runs no command.
    package static func movedBehindCommand(_ arguments: [String], of root: any ParsableCommand.Type) -> [String] {
        var path: [String] = []
        var options: [String] = []
        var rest = arguments[...]
        var command = root
        while let word = rest.first {
            if let option = popOption(from: &rest) {
                options += option
            } else if let next = command.subcommand(named: word) {
                path.append(word)
                command = next
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        if path.isEmpty, rest.first == "help" { return help(rest, options) }
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        // The help of a group is its own, which has none of these options. Those of its default subcommand are another's.
        // Of the commands, `contacts export` has a --version with a value.
        let isHelp = ["-h", "--help"] + (path.isEmpty ? ["--version"] : [])
        let asksForHelp = rest.first.map(isHelp.contains) ?? false
        return path + rest[..<end] + (asksForHelp ? [] : options) + rest[end...]
    }

    /// Removes the global option at the start of `words`, with its value; nil if there is none.
    private static func popOption(from words: inout ArraySlice<String>) -> ArraySlice<String>? {
        guard let word = words.first else { return nil }
        let isAssigned = spelled.contains { $0.value && word.hasPrefix($0.key + "=") }
        guard let takesValue = isAssigned ? false : spelled[word] else { return nil }
        let option = words.prefix(takesValue ? 2 : 1)
        words = words.dropFirst(option.count)
        return option
    }

    /// The words of `kith help`, after global options.
    private static func help(_ words: ArraySlice<String>, _ options: [String]) -> [String] {
        var (words, options, help) = (words, options, [String]())
        while let word = words.first {
            if let option = popOption(from: &words) {
                options += option
            } else {
                help.append(word)
                words.removeFirst()
            }
        }
        return help + options.filter { $0 == "--json" }.prefix(1)
    }
}

extension Optional<String> {
    /// The text; nil if it is empty, because an empty environment variable counts as unset.
    var nonEmpty: String? { self?.isEmpty ?? true ? nil : self }
}
