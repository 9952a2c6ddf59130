import ArgumentParser
import Kith
import KithModel

/// The commands that share something, and those that use the code of somebody else.
extension ShareCommand {
    struct Email: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "email",
            abstract: "Share by email. The server sends it, with your name and the link.",
            discussion: """
                At most \(Limits.bulkShares) people at once. If an address is invalid, nothing is sent. If one email \
                cannot be written for another reason, the others still are. Without --subject and --text, the email \
                has those of the programme. If the command is repeated with the same --id, nobody gets a second email.
                """)
        @Argument(help: "The email addresses.") var addresses: [String]
        @OptionGroup var choice: ShareableChoice
        @Option(help: "The subject.") var subject: String?
        @Option(help: "The text.") var text: String?
        @Option(help: "The language of the email, such as de or pt-BR. Without it: that of your profile.")
        var language: String?
        @Option(help: ArgumentHelp("A text that identifies these emails, such as a number.", valueName: "text"))
        var id: String?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let recipients = try addresses.map { try TypedRecipient($0).email() }
            let results = try await context.sending {
                let shareable = try await choice.shareable(context)
                if try await context.sharing.isPausedNow(shareable.id) {
                    let notice = shareable.pauseNotice("The server sends no emails until its operator resumes it.")
                    throw Failure(.refused, MessageFailure.Reason.paused.rawValue, notice)
                }
                return try await context.sharing.email(
                    shareable.id, to: recipients, subject: subject, message: text, language: language, batch: id)
            }
            var rows: [(recipient: Identity, share: Share?, error: KithError?)] = []
            for one in results {
                switch one.result {
                case .success(let share):
                    rows.append((one.recipient, try await context.sharing.share(share.id) ?? share, nil))
                case .failure(let error): rows.append((one.recipient, nil, error))
                }
            }
            if let error = rows.first?.error, rows.count == 1 { throw error }
            let shapes = rows.map { row -> Shape in
                [
                    "recipient": row.recipient.text, "share": row.share?.shape,
                    "error": row.error?.shape,
                ]
            }
            let isWhole = rows.allSatisfy { $0.share.map { !$0.hasFailed } ?? false }
            return CommandAnswer(["results": shapes], status: isWhole ? .done : .refused) { [rows] colour in
                let table = Table(rows) { row in
                    [
                        Table.Cell(row.recipient.shown),
                        Table.Cell(row.share?.statusText ?? "not shared: \(row.error?.sentence ?? "")"),
                    ]
                }
                let isWaiting = rows.contains { $0.share?.status == .pending }
                return table.lines(colour: colour)
                    + (isWaiting ? ["The server sends it soon. To see what becomes of it: kith share shares"] : [])
            }
        }
    }

    struct Compose: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "compose",
            abstract: "Print the programme's text with your link, for a message that you send yourself.",
            discussion: "After you have sent it: kith share note --by CHANNEL")
        @OptionGroup var choice: ShareableChoice
        @OptionGroup var way: ChannelOption
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let shareable = try await choice.sent(context)
            // First, because it waits for the server: composing does not.
            let isPaused = try await context.sharing.isPausedNow(shareable.id)
            let composed = try await context.sharing.compose(shareable.id, by: way.channel)
            if isPaused {
                // The answer is the message alone.
                context.console.note(shareable.pauseNotice("The link opens, but nobody is rewarded."))
            }
            let shape: Shape = [
                "shareable": try await context.sharing.shape(of: shareable, at: context.location),
                "channel": composed.channel, "subject": composed.subject, "text": composed.text,
                "link": composed.link, "isPaused": isPaused,
            ]
            return CommandAnswer(shape) { _ in
                (composed.subject.map { ["Subject: \($0)".printable, ""] } ?? [])
                    + composed.text.printableLines
            }
        }
    }

    struct Note: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "note",
            abstract: "Note that you have shared your link yourself, so that it counts.",
            discussion: """
                With --to, the recipient counts as brought by you, also if they do not use the code, if the programme \
                permits that. A share that is noted again with the same --id counts once.
                """)
        @OptionGroup var choice: ShareableChoice
        @OptionGroup var way: ChannelOption
        @Option(help: ArgumentHelp("The recipient, if you know an email or a mobile number.", valueName: "recipient"))
        var to: String?
        @Option(help: ArgumentHelp("A text that identifies the share, such as a number.", valueName: "text"))
        var id: String?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let known = id.map { ShareID($0.lowercased()) ?? ShareID(stable: $0, in: "kith share note") }
            let recipient = try to.map { try TypedRecipient($0).identity(in: context.addressBook) }
            let made = try await context.sending {
                let shareable = try await choice.shareable(context)
                return try await context.sharing.share(
                    shareable.id, by: way.channel, to: recipient, id: known)
            }
            let share = try await context.sharing.share(made.id) ?? made
            let isPaused = try await context.sharing.isPausedNow(share.shareable)
            let shareable = try await context.sharing.shareable(share.shareable)
            let notice = isPaused ? shareable?.pauseNotice("So this does not count.") : nil
            return CommandAnswer(["share": share.shape, "isPaused": isPaused]) { _ in
                ["Noted: shared \(share.destination.ended)".printable] + [notice].compactMap(\.self)
            }
        }
    }

    struct Use: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "use",
            abstract: "Use the code or the link of somebody who has shared with you.",
            discussion: "It counts when you sign up for the first time, and for 24 hours after that.")
        @Argument(help: "The code in any spelling, or the link.") var code: String
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try GivenLink.check(code, for: .share)
            let made = try await context.sending { try await context.sharing.use(code: code) }
            let claim = try await context.sharing.claims().first { $0.id == made.id } ?? made
            let isAnonymous = try await context.client.status().session != .identified
            var isRefused = false
            let sentence: String
            switch claim.status {
            case .open where isAnonymous:
                sentence =
                    "Noted. If somebody has this code, it counts when you sign up: kith session register EMAIL"
            case .open: sentence = "Noted. To see whether it counts: kith share claims"
            case .bound: sentence = "It counts: \(claim.statusText().ended)"
            case .refused:
                sentence = "The code \(claim.statusText().ended)"
                isRefused = true
            }
            return CommandAnswer(["claim": claim.shape], status: isRefused ? .refused : .done, sentence)
        }
    }

    struct Event: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "event",
            abstract: "Record an event that a programme rewards, such as a first order.",
            discussion: "The server counts an event once, also if it is recorded again with the same --id.")
        @Argument(help: "The name of the event in the programme.") var name: String
        @OptionGroup var programme: ProgrammeOption
        @OptionGroup var values: ValuesOption
        @Option(help: ArgumentHelp("A text that identifies the event, such as an order number.", valueName: "text"))
        var id: String?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let programme = try await programme.resolve(context)
            let event = id.map { SharingEventID($0.lowercased()) ?? SharingEventID(stable: $0, in: "kith share event") }
            try await context.sending {
                try await context.sharing.record(
                    event: name, in: programme, data: values.text, id: event)
            }
            return CommandAnswer(
                ["event": name, "programme": programme, "id": event],
                "Recorded the event “\(name)” in the programme “\(programme)”. It counts if the programme rewards it.")
        }
    }
}
