package import ArgumentParser
package import Foundation

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

    @Flag(name: .long, help: "Answer in JSON.")
    package var json = false

    @Flag(name: .long, help: "Stay offline: only save; nothing is sent or fetched.")
    package var offline = false

    package init() {}

    /// The global options as they are spelled, and whether a value follows.
    private static let spelled = ["--server": true, "--data": true, "--json": false, "--offline": false]

    /// `arguments`, with the global options that stand before the command, or between its words, moved after it.
    ///
    /// So `kith --json lists create Tea` means `kith lists create Tea --json`:
    /// ArgumentParser knows an option only where the command that has it is known.
    package static func movedBehindCommand(_ arguments: [String], of root: any ParsableCommand.Type) -> [String] {
        var path: [String] = []
        var options: [String] = []
        var rest = arguments[...]
        var command = root
        while let word = rest.first {
            if let takesValue = spelled[word] {
                options += rest.prefix(takesValue ? 2 : 1)
                rest = rest.dropFirst(takesValue ? 2 : 1)
            } else if spelled.contains(where: { $0.value && word.hasPrefix($0.key + "=") }) {
                options.append(word)
                rest = rest.dropFirst()
            } else if let next = command.subcommand(named: word) {
                path.append(word)
                command = next
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return path + rest[..<end] + options + rest[end...]
    }
}

/// Where a command works: options first, then the environment, then the usual places.
package struct Place: Hashable, Sendable {
    package let server: URL?
    package let folder: URL

    /// - Throws: ``Failure`` `usage` if the server's address is not one.
    package init(_ options: GlobalOptions, environment: [String: String]) throws {
        server = try (options.server ?? environment["KITH_SERVER"].nonEmpty).map(Self.address)
        folder = Self.folder(options.data, environment)
    }

    private static func address(_ text: String) throws -> URL {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            !(url.host() ?? "").isEmpty
        else {
            throw Failure(
                .usage, "usage", "“\(text)” is not a server's address. Write it like https://lists.example.org.")
        }
        return url
    }

    private static func folder(_ option: String?, _ environment: [String: String]) -> URL {
        if let named = option.nonEmpty ?? environment["KITH_DATA"].nonEmpty {
            return URL(filePath: (named as NSString).expandingTildeInPath, directoryHint: .isDirectory)
        }
        if let data = environment["XDG_DATA_HOME"].nonEmpty, data.hasPrefix("/") {
            return URL(filePath: data, directoryHint: .isDirectory).appending(path: "kith")
        }
        let home = environment["HOME"].nonEmpty ?? NSHomeDirectory()
        return URL(filePath: home, directoryHint: .isDirectory).appending(path: ".local/share/kith")
    }
}

extension Optional<String> {
    /// The text, unless there is none in it: an empty variable of the environment counts as unset.
    fileprivate var nonEmpty: String? { self?.isEmpty ?? true ? nil : self }
}
