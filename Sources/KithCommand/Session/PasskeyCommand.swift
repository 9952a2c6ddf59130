import ArgumentParser
import Foundation
import Kith
import KithModel

/// `kith session passkey`: the passkeys of the account.
///
/// A terminal cannot use passkeys, so a browser adds and uses them on a page of the server.
struct PasskeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkey", abstract: "Add, list and remove passkeys, or sign in with one, in a browser.",
        subcommands: [List.self, Add.self, LogIn.self, Remove.self], defaultSubcommand: List.self)

    struct List: OnlineCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Show the passkeys of the account. (Also: kith session passkey)")
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let passkeys = try await context.client.signIn.passkeys.all()
            let ids = ShortIDs(passkeys.map(\.id))
            return CommandAnswer(["passkeys": passkeys.map(\.shape)]) { colour in
                if passkeys.isEmpty { return ["The account has no passkey. Add one: kith session passkey add"] }
                return Table(header: ["Passkey", "Added", "Last used", "Id"], passkeys) { passkey in
                    [
                        Table.Cell(passkey.name ?? "(no name)"), Table.Cell(passkey.created.date.day, .faint),
                        Table.Cell(passkey.used?.date.day ?? "never", .faint), Table.Cell(ids[passkey.id], .faint),
                    ]
                }.lines(colour: colour)
            }
        }
    }

    struct Add: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a passkey to the account, in a browser.",
            discussion: """
                The command prints the address of a page. Open it in a browser on any of your devices. The address works \
                once, for five minutes: show it to nobody.
                """)
        @Option(
            help: ArgumentHelp(
                "The name of the passkey, for the list (the name of this computer).", valueName: "name"))
        var name: String?
        @OptionGroup var waiting: PageWaiting
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try await context.requireServer()
            let passkeys = try await context.clientOfCurrentAccount().signIn.passkeys
            let begun = try await context.console.progress("Asking") {
                try await passkeys.beginAdding(named: name ?? ProcessInfo.processInfo.hostName)
            }
            let passkey = try await waiting.outcome(of: begun.page, context) { try await passkeys.outcome(of: begun) }
            return CommandAnswer(
                ["passkey": passkey.shape],
                "The passkey is added. Sign in with it on other devices: kith session passkey login")
        }
    }

    struct LogIn: SwitchingCommand {
        static let configuration = CommandConfiguration(
            commandName: "login", abstract: "Sign in with a passkey, in a browser.",
            discussion: """
                The command prints the address of a page. Open it in a browser on the device that has the passkey. The \
                address works once, for five minutes: show it to nobody. The data of the former account stays here: the \
                command names it and asks what to do with it.
                """)
        @OptionGroup var waiting: PageWaiting
        @OptionGroup var signInOptions: SignInOptions
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try context.requireShown("session passkey login")
            try await context.requireServer()
            let passkeys = context.client.signIn.passkeys
            let begun = try await context.console.progress("Asking") {
                try await passkeys.beginSignIn(device: signInOptions.deviceName)
            }
            let result = try await waiting.outcome(of: begun.page, context) { try await passkeys.outcome(of: begun) }
            let hidden = try await signInOptions.settle(result.hidden, context)
            return CommandAnswer(
                ["account": result.account, "isOtherAccount": result.isOtherAccount] + hidden,
                result.isOtherAccount
                    ? "Signed in with a passkey. This device now shows that account."
                    : "Signed in with a passkey. This device shows the same account as before.")
        }
    }

    struct Remove: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a passkey from the account, such as that of a lost device.",
            discussion: """
                The devices that signed in with it stay signed in: see kith session devices. Delete the passkey in your \
                browser or password manager, too.
                """)
        @Argument(help: ArgumentHelp("The id of the passkey, or the start of it.", valueName: "id"))
        var passkey: String
        @Flag(help: "Do not ask, even if nobody can sign in to the account afterwards.") var yes = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try await context.requireServer()
            let signIn = context.client.signIn
            let passkeys = try await signIn.passkeys.all()
            let one = try Reference(passkey).find(
                in: passkeys, kind: "passkey", listedBy: "kith session passkey list"
            ) { Nameable(id: $1.id, name: nil) }
            do {
                try await signIn.passkeys.remove(one.id)
            } catch KithError.Code.lastWayIn {
                try context.console.confirm(
                    """
                    This is the last way to sign in to the account. Without it, the account is lost if this device is \
                    lost. Remove the passkey?
                    """, given: yes)
                try await signIn.passkeys.remove(one.id, evenLast: true)
            }
            return CommandAnswer(
                ["removed": one.shape], "\(one.name ?? "The passkey") can no longer sign in to this account.")
        }
    }
}

extension Passkey {
    /// The passkey for `--json`.
    fileprivate var shape: Shape {
        ["id": id, "name": name, "created": created.date, "used": used?.date, "isSynced": isSynced]
    }
}
