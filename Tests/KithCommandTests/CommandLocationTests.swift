import ArgumentParser
import Foundation
import KithCommand
import Testing

@Suite("Where a command works") struct CommandLocationTests {
    static func location(_ arguments: [String], _ environment: [String: String]) throws -> CommandLocation {
        try CommandLocation(GlobalOptions.parse(arguments), environment: environment)
    }

    @Test("comes from the options, then from the environment, then from the defaults") func order() throws {
        let home = ["HOME": "/home/ada"]
        #expect(try Self.location([], home).folder.path() == "/home/ada/.local/share/kith")
        let xdg = home.merging(["XDG_DATA_HOME": "/xdg"]) { $1 }
        #expect(try Self.location([], xdg).folder.path() == "/xdg/kith")
        let variable = xdg.merging(["KITH_DATA": "/variable", "KITH_SERVER": "http://variable:1"]) { $1 }
        #expect(try Self.location([], variable).folder.path() == "/variable/")
        #expect(try Self.location([], variable).server == URL(string: "http://variable:1"))
        let option = try Self.location(["--data", "/option", "--server", "https://option"], variable)
        #expect(option.folder.path() == "/option/")
        #expect(option.server == URL(string: "https://option"))
    }

    @Test("does not depend on variables that are empty, or relative where the standard forbids it") func empty() throws
    {
        let environment = ["HOME": "/home/ada", "XDG_DATA_HOME": "relative", "KITH_DATA": "", "KITH_SERVER": ""]
        let location = try Self.location([], environment)
        #expect(location.folder.path() == "/home/ada/.local/share/kith")
        #expect(location.server == nil)
    }

    @Test(
        "is not accepted as a server's address without scheme or host",
        arguments: ["example.org", "localhost:8080", "ftp://a", "http://"])
    func address(text: String) throws {
        let failure = try #require(throws: Failure.self) { try Self.location(["--server=\(text)"], [:]) }
        #expect(failure.status == .usage)
    }

    struct Root: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "root", subcommands: [Group.self],
            groupedSubcommands: [CommandGroup(name: "g", subcommands: [Leaf.self])])
    }
    struct Group: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "group", subcommands: [Leaf.self])
    }
    struct Leaf: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "leaf")
    }

    @Test(
        "may be given before the command, between its words, or after it",
        arguments: [
            (["--json", "leaf", "x"], ["leaf", "x", "--json"]),
            (
                ["--server", "leaf", "group", "--offline", "leaf", "x"],
                ["group", "leaf", "x", "--server", "leaf", "--offline"]
            ),
            (["--data=/d", "group", "x"], ["group", "x", "--data=/d"]),
            (["--json", "leaf", "x", "--", "--json"], ["leaf", "x", "--json", "--", "--json"]),
            (["leaf", "x", "--json"], ["leaf", "x", "--json"]),
            (["--data", "d", "group", "-h"], ["group", "-h"]), (["--json", "--help"], ["--help"]),
            (["--help"], ["--help"]), ([], []), (["--server"], ["--server"]),
            (["--data", "d", "help", "leaf", "--offline"], ["help", "leaf"]),
            (["--json", "help"], ["help", "--json"]),
        ])
    func hoisting(written: [String], meant: [String]) {
        #expect(GlobalOptions.movedBehindCommand(written, of: Root.self) == meant)
    }
}
