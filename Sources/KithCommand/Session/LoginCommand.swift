import ArgumentParser
import Foundation
import Kith
import KithModel

extension SessionCommand {
    /// `kith session issuers`: the issuers at which users can sign in.
    struct Issuers: OnlineCommand {
        static let configuration = CommandConfiguration(
            commandName: "issuers",
            abstract: "Show the issuers at which you can sign in, such as Google or Keycloak.")
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let issuers = try await context.client.signIn.issuers()
            let shapes: [Shape] = issuers.map { ["name": $0.name, "displayName": $0.displayName] }
            return CommandAnswer(["issuers": shapes]) { colour in
                guard !issuers.isEmpty else { return ["This server has no issuers. The operator can add some."] }
                return Table(header: ["Name", "Issuer"], issuers) { issuer in
                    [Table.Cell(issuer.name), Table.Cell(issuer.displayName)]
                }.lines(colour: colour)
            }
        }
    }

    /// `kith session login`: signs in at an issuer in a browser.
    struct Login: SwitchingCommand {
        static let configuration = CommandConfiguration(
            commandName: "login",
            abstract: "Sign in at an issuer, such as Google or Keycloak, in a browser.",
            discussion: """
                Prints an address to open in a browser on this machine, and waits until the browser comes back. If no \
                account has the identity, the account of this device gets it. If another account has it, this device \
                switches to that account. The data of the former account stays here: the command names it and asks what to \
                do with it.
                """)
        @Option(
            help: ArgumentHelp(
                "The issuer: see kith session issuers. Not needed if there is only one.", valueName: "name"))
        var issuer: String?
        @Option(help: ArgumentHelp("How many seconds to wait for the browser, at most 600.", valueName: "seconds"))
        var timeout = 600
        @OptionGroup var signInOptions: SignInOptions
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try context.requireShown("session login")
            try await context.requireServer()
            let issuer = try await chosen(context)
            let name = signInOptions.deviceName
            let limit = Duration.seconds(min(max(timeout, 1), 600))
            let (signIn, console) = (context.client.signIn, context.console)
            let result = try await RedirectListener.listening { listener in
                let begun = try await signIn.begin(at: issuer.name, redirect: listener.address, device: name)
                console.note("Open this address in a browser on this machine:")
                console.note(begun.url.printable)
                let callback = try await console.progress("Waiting for the browser") {
                    try await Self.callback(of: begun, listener, within: limit)
                }
                return try await signIn.finish(callback)
            }
            let hidden = try await signInOptions.settle(result.hidden, context)
            await SessionCommand.nameDevice(signInOptions.device, of: result.account, context)
            return CommandAnswer(
                [
                    "account": result.account, "issuer": issuer.name, "isOtherAccount": result.isOtherAccount,
                    "isNewAccount": result.isNewAccount,
                ] + hidden,
                result.newAccountSentence(for: "your identity at \(issuer.displayName)")
                    ?? (result.isOtherAccount
                        ? "Signed in with \(issuer.displayName). This device now shows that account."
                        : """
                        This account now has your identity at \(issuer.displayName). You can sign in with it on other devices.
                        """))
        }

        /// The issuer that was named, or the only one.
        private func chosen(_ context: CommandContext) async throws -> Issuer {
            let issuers = try await context.console.progress("Asking") { try await context.client.signIn.issuers() }
            let named = issuers.filter { issuer == nil || $0.name == issuer }
            guard let one = named.first, named.count == 1 else {
                let names = issuers.map(\.name).joined(separator: ", ")
                throw Failure.notFound(
                    issuers.isEmpty
                        ? "This server has no issuers. Sign in with an email: kith session register EMAIL"
                        : "Name one of the issuers with --issuer: \(names)")
            }
            return one
        }

        /// The parameter `state` of an address.
        private static func state(_ url: URL?) -> String? {
            url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }?.queryItems?
                .first { $0.name == "state" }?.value
        }

        /// The address to which the issuer has redirected the browser. Other requests to the listener are ignored.
        private static func callback(
            of begun: IssuerSignIn, _ listener: RedirectListener, within limit: Duration
        ) async throws -> URL {
            let expected = state(URL(string: begun.url))
            do {
                return try await within(limit) {
                    for await url in listener.callbacks where state(url) == expected { return url }
                    throw CancellationError()
                }
            } catch is TookTooLong {
                throw Failure(
                    .failed, "timeout", "The browser did not come back in time. Sign in again: kith session login")
            }
        }
    }
}
