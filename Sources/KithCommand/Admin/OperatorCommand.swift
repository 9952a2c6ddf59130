import ArgumentParser
import Foundation
import KithModel
import KithServer

/// `kith admin operator`: the people who may open the operator's pages in a browser.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator", abstract: "Manage who may sign in to the operator's pages, at /admin.",
        discussion: """
            A password is made by the program and shown once. The server stores only a hash of it. A new password and a \
            removal end the sessions of the operator at once.
            """,
        subcommands: [List.self, Add.self, Password.self, Remove.self], defaultSubcommand: List.self)

    struct List: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Show the operators. (Also: kith admin operator)")
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let rows = try await admin.operators.list()
            let shapes: [Shape] = rows.map {
                ["name": $0.name.text, "created": $0.created.date, "passwordMade": $0.changed.date]
            }
            return CommandAnswer(["operators": shapes]) { colour in
                if rows.isEmpty { return ["There are no operators. Add one: kith admin operator add NAME"] }
                return Table(header: ["Name", "Since", "Password made"], rows) { row in
                    [
                        Table.Cell(row.name.text), Table.Cell(row.created.date.day, .faint),
                        Table.Cell(row.changed.date.day, .faint),
                    ]
                }.lines(colour: colour)
            }
        }
    }

    struct Add: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add an operator, and show the password once.")
        @Argument(help: "The name: a-z, 0-9, dots and hyphens.", transform: OperatorName.argument)
        var name: OperatorName
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let password = try await admin.operators.add(name, at: Timestamp(.now))
            return .password(password, of: name)
        }
    }

    struct Password: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "password",
            abstract: "Make a new password for an operator, and show it once.",
            discussion: "The sessions of the operator end.")
        @Argument(help: "The name of the operator.", transform: OperatorName.argument) var name: OperatorName
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            .password(try await admin.operators.renewPassword(of: name, at: Timestamp(.now)), of: name)
        }
    }

    struct Remove: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove an operator, and end the sessions in browsers.")
        @Argument(help: "The name of the operator.", transform: OperatorName.argument) var name: OperatorName
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            try await admin.operators.remove(name)
            return CommandAnswer(["removed": name.text], "The operator “\(name.text)” is removed.")
        }
    }
}

extension OperatorName {
    /// Reads a name from the command line.
    fileprivate static func argument(_ text: String) throws -> OperatorName {
        if let name = OperatorName(text) { return name }
        throw ValidationError("“\(text)” is no name. It has 1 to 32 of a-z, 0-9, dots and hyphens.")
    }
}

extension CommandAnswer {
    /// A new password.
    fileprivate static func password(_ password: String, of name: OperatorName) -> CommandAnswer {
        CommandAnswer(
            ["name": name.text, "password": password],
            "The password of “\(name.text)” is \(password)",
            "It is shown only once. Sign in at /admin of the server's address.")
    }
}
