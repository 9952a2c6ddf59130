import ArgumentParser
import Foundation
import Kith
import KithModel

extension SessionCommand {
    /// `kith session register`: requests a code. Registration and sign-in are the same.
    struct Register: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register or sign in with an email: the server sends a code to it.",
            discussion: """
                If no account has the email, the account of this device gets it, with all its lists. If another account has \
                it, this device goes over to that account. Enter the code with kith session verify.
                """)
        @OptionGroup var value: IdentityArgument
        @Option(
            help: ArgumentHelp(
                "The number or email of the account that the new one replaces. It is told that it was removed.",
                valueName: "identity"))
        var replace: String?
        @Option(
            help: ArgumentHelp(
                "The name of this device, for the message and for kith session devices (the name of this computer).",
                valueName: "name"))
        var device: String?
        @Option(help: ArgumentHelp("The language of the message, such as de.", valueName: "language"))
        var language: String?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try context.requireShown("session register") { "To show that account first: kith session use \($0.typed)" }
            try context.requireServer()
            let identity = try value.identity()
            let old = try replace.map { try Identity.argument($0) }
            let sent = try await context.console.progress("Requesting a code") {
                try await context.client.signIn.requestCode(
                    for: identity, replacing: old, languages: language.map { [$0] },
                    device: device ?? ProcessInfo.processInfo.hostName)
            }
            try RequestedCode(sent: sent, identity: identity).write(to: context.place.folder)
            return CommandAnswer(
                [
                    "id": sent.id, "identity": identity.text, "digits": sent.digits, "expires": sent.expires.date,
                    "again": sent.again.date,
                ],
                "A code is on its way to \(identity.shown). Enter it within ten minutes: kith session verify CODE")
        }
    }

    /// `kith session verify`: enters the code.
    struct Verify: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Enter the code of kith session register.",
            discussion: """
                If the email belongs to another account, this device goes over to it. What was shown before stays here: the \
                command says what it is and asks what to do with it. Nothing is decided by itself: without a terminal, say \
                it with --keep, --move or --drop, or later with kith session decide.
                """)
        @Argument(help: "The six digits of the message.") var code: String
        @Flag() var choice: StoreChoice?
        @Flag(help: "Do not ask; keep what was shown before.") var yes = false
        @OptionGroup var options: GlobalOptions

        static var saysWhatItHides: Bool { true }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try context.requireShown("session verify") { "To show that account first: kith session use \($0.typed)" }
            try context.requireServer()
            guard let requested = RequestedCode.read(from: context.place.folder) else {
                throw Failure(
                    .notFound, "notFound",
                    "No code was requested on this device. Request one: kith session register EMAIL")
            }
            let result = try await context.console.progress("Checking") {
                try await context.client.signIn.check(code, of: requested.sent)
            }
            RequestedCode.remove(from: context.place.folder)
            let (hiding, done) = try await context.settle(result, choice, yes: yes)
            let shape: Shape = [
                "account": result.account, "identity": requested.identity.text, "isOtherAccount": result.isOtherAccount,
                "hidden": hiding.stores.map(\.shape), "choice": done?.rawValue,
            ]
            return CommandAnswer(
                shape,
                result.isOtherAccount
                    ? "Signed in with \(requested.identity.shown). This device now shows that account."
                    : "\(requested.identity.shown) now belongs to this account. Sign in with it on other devices.")
        }
    }
}
