import ArgumentParser
import Kith
import KithModel

extension SessionCommand {
    /// `kith session pair`: shows a QR code with which another device signs in.
    struct Pair: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "pair",
            abstract: "Show a QR code with which another device signs in to this account.",
            discussion: """
                On the other device: kith session join LINK, or read the code with the app. The code works once, for ten \
                minutes. The command waits until it is used. Whoever reads the code first gets access to the account, so \
                show it to nobody. If the command is interrupted, or makes a new code, the code no longer works.
                """)
        @Flag(
            name: .customLong("no-wait"),
            help: "Only show the code and the link; do not wait until it is used. The next code replaces it.")
        var isImmediate = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try await context.requireServer()
            let pairings = try await context.clientOfCurrentAccount().pairings
            let pairing = try await context.console.progress("Asking") { try await pairings.make() }
            let made = CommandAnswer(pairing.shape) { _ in
                let code = context.console.lines(ofQRCode: pairing.link)
                return code + [
                    "", "Read this code on the other device, or type there:", "  kith session join '\(pairing.link)'",
                ]
            }
            if isImmediate { return made }
            let status: PairingStatus
            do {
                status = try await EndSignal.cancelling {
                    try context.console.say(made)
                    return try await context.console.progress("Waiting for the other device") {
                        try await pairings.result(of: pairing)
                    }
                }
            } catch let interruption as ExitCode {
                await end(pairing, pairings, context)
                throw interruption
            }
            guard status.state == .used else {
                throw Failure(
                    .refused, "codeExpired",
                    "Nobody has used the code within ten minutes. Show a new one: kith session pair")
            }
            let shape: Shape = [
                "pairing": pairing.id, "state": status.state.rawValue, "device": status.device,
                "session": status.session,
            ]
            return CommandAnswer(shape, status.use)
        }

        /// Ends the pairing after an interruption, because somebody may have seen the code, and says what became of it.
        private func end(_ pairing: Pairing, _ pairings: Pairings, _ context: CommandContext) async {
            do {
                let status = try await within(CommandContext.answerTimeout) { () async throws -> PairingStatus? in
                    try await pairings.end(pairing.id)
                    do {
                        return try await pairings.status(of: pairing.id)
                    } catch KithError.Code.notFound {
                        return nil
                    }
                }
                let used = status.flatMap { $0.state == .used ? $0.use : nil }
                context.console.note(used?.printable ?? "The code no longer works.")
            } catch {
                context.console.note(
                    "The server could not be reached. The code works until \(pairing.expires.date.day).")
            }
        }
    }

    /// `kith session join`: signs in with the link of a QR code.
    struct Join: SwitchingCommand {
        static let configuration = CommandConfiguration(
            commandName: "join",
            abstract: "Sign in to the account of another device, with the link of its QR code.",
            discussion: """
                On the other device: kith session pair. The data of this device's former account stays here: the command \
                names it and asks what to do with it. Without --server, the link's own server is used.
                """)
        @Argument(help: "The link in the QR code; - reads it from standard input, where no other user can see it.")
        var link: String
        @OptionGroup var signInOptions: SignInOptions
        @OptionGroup var options: GlobalOptions

        func answer(_ given: CommandContext) async throws -> CommandAnswer {
            try given.requireShown("session join")
            let text = link == "-" ? readLine() ?? "" : link
            try GivenLink.check(text, for: .pairing)
            guard let parts = PairingLink(text) else {
                throw Failure(
                    .usage, "invalid",
                    "This is not the link of a QR code. Show a new one: kith session pair. Put it in quotes.")
            }
            let context = try await reaching(parts.base, from: given)
            try await context.requireServer()
            let result = try await context.console.progress("Signing in") {
                try await context.client.pairings.use(link: text, device: signInOptions.deviceName)
            }
            let hidden = try await signInOptions.settle(result.hidden, context)
            return CommandAnswer(
                ["account": result.account] + hidden,
                "Signed in. This device now shows the account of the other device.")
        }
    }
}

extension PairingStatus {
    /// The sentence that a device has used the pairing.
    fileprivate var use: String {
        """
        \(device.map { "“\($0)”" } ?? "A device") is signed in to the account. If it is not yours, close its session: \
        kith session revoke \(session?.description.prefix(8) ?? "ID")
        """
    }
}

extension Pairing {
    /// The pairing for `--json`.
    fileprivate var shape: Shape { ["pairing": id, "state": "open", "link": link, "expires": expires.date] }
}
