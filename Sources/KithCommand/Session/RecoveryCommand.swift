import ArgumentParser
import Kith
import KithModel

extension SessionCommand {
    /// `kith session recovery`: the recovery codes of the account.
    struct Recovery: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "recovery",
            abstract: "Make recovery codes, show how many are left, or sign in with one.",
            subcommands: [Status.self, Create.self, Use.self], defaultSubcommand: Status.self)

        struct Status: OnlineCommand {
            static let configuration = CommandConfiguration(
                commandName: "status", abstract: "Show how many recovery codes are left.")
            @OptionGroup var options: GlobalOptions

            func answer(_ context: CommandContext) async throws -> CommandAnswer {
                let status = try await context.client.signIn.recoveryStatus()
                return CommandAnswer(
                    ["codes": status.codes, "left": status.left, "created": status.created?.date],
                    status.created.map {
                        "\(status.left.things("recovery code")) of \(status.codes) left, made \($0.date.day)."
                    } ?? "There are no recovery codes. Make some: kith session recovery create")
            }
        }

        struct Create: ClientCommand {
            static let configuration = CommandConfiguration(
                commandName: "create",
                abstract: "Make ten new recovery codes. They replace the old ones.",
                discussion: """
                    Each code signs in once, without the email and without another device. The codes are shown only once: \
                    print them, or write them down.
                    """)
            @Flag(help: "Do not ask before replacing the old codes.") var yes = false
            @OptionGroup var options: GlobalOptions

            func answer(_ context: CommandContext) async throws -> CommandAnswer {
                try await context.requireServer()
                let (signIn, account) = (context.client.signIn, try await context.client.session.account())
                let status = try await context.console.progress("Asking") { try await signIn.recoveryStatus() }
                if status.left > 0 {
                    try context.console.confirm(
                        "\(status.left.things("unused code")) that you may have on paper will stop working. Make new ones?",
                        given: yes)
                }
                let set = try await context.console.progress("Making codes") {
                    try await signIn.createRecoveryCodes(expecting: account)
                }
                return CommandAnswer(["codes": set.codes, "created": set.created.date]) { _ in
                    set.codes + [
                        "", "Each code signs in once: kith session recovery use CODE", "They are not shown again.",
                    ]
                }
            }
        }

        struct Use: SwitchingCommand {
            static let configuration = CommandConfiguration(
                commandName: "use",
                abstract: "Sign in with a recovery code.",
                discussion: """
                    This device switches to the account of the code. The data of the former account stays here: the \
                    command names it and asks what to do with it.
                    """)
            @Argument(
                help: "The code; - reads it from standard input, where no other user can see it.") var code: String
            @OptionGroup var signInOptions: SignInOptions
            @OptionGroup var options: GlobalOptions

            func answer(_ context: CommandContext) async throws -> CommandAnswer {
                try context.requireShown("session recovery use")
                try await context.requireServer()
                let typed = code == "-" ? readLine() ?? "" : code
                let result = try await context.console.progress("Signing in") {
                    try await context.client.signIn.useRecoveryCode(
                        typed, device: signInOptions.deviceName)
                }
                let hidden = try await signInOptions.settle(result.hidden, context)
                let left = try? await context.client.signIn.recoveryStatus().left
                let shape: Shape = [
                    "account": result.account, "isOtherAccount": result.isOtherAccount, "left": left,
                ]
                let rest = left.map { " \($0.things("recovery code")) left." } ?? ""
                return CommandAnswer(
                    shape + hidden,
                    result.isOtherAccount
                        ? "Signed in. This device now shows that account.\(rest)"
                        : "This device shows the account of this code already. The code stays unused.\(rest)")
            }
        }
    }
}
