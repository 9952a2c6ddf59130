import ArgumentParser
import Foundation
import Kith
import KithAddressBook
import KithModel

extension SessionCommand {
    /// `kith session register`: requests a code. Registration and sign-in are the same.
    struct Register: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "register",
            abstract: "Register or sign in with an email or a phone number: the server sends a code to it.",
            discussion: """
                If no account has the email or number, the account of this device gets it. If another account has it, this \
                device switches to that account. Enter the code with kith session verify.

                Write a number with its country code, or as people write it in the country that --country names. To see the \
                countries that the server allows: kith session countries
                """)
        @Argument(help: "The email, or the number such as +436641234567.") var value: String?
        @Option(help: "The mobile number.") var phone: String?
        @Option(
            help: ArgumentHelp("The country whose notation the number has, such as AT.", valueName: "country"),
            transform: RegionOption.region)
        var country: Region?
        @Option(help: "Your name, for your profile. It replaces the name of the account's profile.") var name: String?
        @Option(
            help: ArgumentHelp(
                "The number or email of the account that the new one replaces. A replaced email receives a notice.",
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
            try context.requireShown("session register")
            try await context.requireServer()
            let earlier = RequestedCode.read(from: context.location.folder)
            var requested = RequestedCode(try request(), after: earlier, name: name, device: device, at: Date())
            try requested.write(to: context.location.folder)
            let code: (sent: SentCode, identity: Identity)
            do {
                code = try await requested.send(context)
            } catch {
                RequestedCode.restore(earlier, in: context.location.folder, after: error)
                throw error
            }
            return CommandAnswer(
                [
                    "id": code.sent.id, "identity": code.identity.text, "digits": code.sent.digits,
                    "expires": code.sent.expires.date, "again": code.sent.again.date,
                ],
                "A code is on its way to \(code.identity.shown). Enter it within ten minutes: kith session verify CODE")
        }

        /// The request for the email or number that was typed.
        private func request() throws -> CodeRequest {
            guard let text = phone ?? value, phone == nil || value == nil else {
                throw Failure.usage("Name one email or number: kith session register EMAIL, or --phone NUMBER")
            }
            let old = try replace.map { try Identity.argument($0) }
            let (languages, shown) = (language.map { [$0] }, device ?? ProcessInfo.processInfo.hostName)
            var random = SystemRandomNumberGenerator()
            let id = CodeID(UUID.version7(time: Timestamp(Date()), using: &random))
            let email = phone == nil ? EmailAddress(text).map(Identity.email) : nil
            if let identity = email ?? E164.typed(text).map(Identity.phone) {
                return CodeRequest(
                    id: id, identity: identity, replaces: old, languages: languages, device: shown)
            }
            if let country, text.contains(where: \.isNumber), !text.contains("@") {
                return CodeRequest(
                    id: id, number: text, in: country, replaces: old, languages: languages, device: shown)
            }
            let advice =
                text.contains("@") || country != nil
                ? "Write an email such as ada@example.com, or a number such as +436641234567."
                : "Write the number with its country code, such as +436641234567, or name the country: --country AT"
            throw Failure.usage("“\(text)” is neither an email nor a number. \(advice)")
        }
    }

    /// `kith session countries`: the countries whose numbers can be proved.
    struct Countries: OnlineCommand {
        static let configuration = CommandConfiguration(
            commandName: "countries",
            abstract: "Show the countries whose mobile numbers can be registered, with their codes and an example.")
        @Option(help: ArgumentHelp("The language of the names, such as de.", valueName: "language"))
        var language: String?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let locale = language.map { Locale(identifier: $0) } ?? .user(of: .order)
            let countries = try await context.client.signIn.countries().sorted(in: locale)
            let shapes: [Shape] = countries.map {
                [
                    "country": $0.region.code, "name": $0.name(in: locale), "callingCode": $0.callingCode,
                    "flag": $0.flag, "example": $0.example,
                ]
            }
            return CommandAnswer(["countries": shapes]) { colour in
                if countries.isEmpty {
                    return ["The server sends no codes by SMS. Try an email: kith session register EMAIL"]
                }
                return Table(header: ["", "Country", "Code", "Calling code", "Example"], countries) { country in
                    [
                        Table.Cell(country.flag), Table.Cell(country.name(in: locale)),
                        Table.Cell(country.region.code), Table.Cell("+\(country.callingCode)"),
                        Table.Cell(country.example, .faint),
                    ]
                }.lines(colour: colour)
            }
        }
    }

    /// `kith session verify`: enters the code.
    struct Verify: SwitchingCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Enter the code of kith session register.",
            discussion: """
                If the email or number belongs to another account, this device switches to it. The data of the former \
                account stays here: the command names it and asks what to do with it. Without a terminal, decide with \
                --keep, --move or --drop, or later with kith session decide.
                """)
        @Argument(help: "The six digits of the message.") var code: String
        @Flag() var choice: StoreChoice?
        @Flag(help: "Do not ask; keep the data of the former account.") var yes = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try context.requireShown("session verify")
            try await context.requireServer()
            guard var requested = RequestedCode.read(from: context.location.folder) else {
                throw Failure.notFound(
                    "No code was requested on this device. Request one: kith session register EMAIL|NUMBER")
            }
            // If the answer was lost, the request is sent again. The server then sends no second code.
            let (sent, identity) = try await requested.send(context)
            let result = try await context.console.progress("Checking") {
                try await context.client.signIn.check(code, of: sent)
            }
            RequestedCode.remove(from: context.location.folder)
            // Without a decision about the hidden stores the command fails, but not before the names are set.
            let hidden: Result<Shape, any Error>
            do {
                hidden = .success(try await context.settlement.settle(signIn: result.hidden, choice, yes: yes))
            } catch {
                hidden = .failure(error)
            }
            await SessionCommand.nameDevice(requested.device, of: result.account, context)
            if let name = requested.name {
                let client = try context.client(of: result.account)
                try await client.network.setName(name)
                try? await within(CommandContext.answerTimeout) { try await client.syncNow() }
            }
            let shape: Shape = [
                "account": result.account, "identity": identity.text, "isOtherAccount": result.isOtherAccount,
                "isNewAccount": result.isNewAccount,
            ]
            return try CommandAnswer(
                shape + hidden.get(),
                result.newAccountSentence(for: identity.shown)
                    ?? (result.isOtherAccount
                        ? "Signed in with \(identity.shown). This device now shows that account."
                        : "\(identity.shown) belongs to this account. Sign in with it on other devices."))
        }
    }
}

extension SignIn.Result {
    /// The sentence that the sign-in has led to a new account; nil if it has not.
    func newAccountSentence(for identity: String) -> String? {
        guard isNewAccount else { return nil }
        return """
            No account had \(identity), so it belongs to a new account, which is empty. This device now shows that account. If \
            you have another one, sign in with what belongs to it: \(SignInCommands.all)
            """
    }
}
