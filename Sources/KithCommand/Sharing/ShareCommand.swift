import ArgumentParser
import Foundation
import Kith
import KithModel

/// `kith share`: shares by link, code, email and in other ways, and shows what comes of it.
struct ShareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "Share by link, code and email, and see who has joined because of you.",
        discussion: """
            A SHAREABLE is what you share in a programme of the server, with a code of its own. It is made at its first use, \
            also offline and before you have an account: kith share link. Name it by its key, its label, its code or the \
            start of its id; without a name, it is the one that you selected last in the programme.
            """,
        groupedSubcommands: [
            CommandGroup(
                name: "What you share",
                subcommands: [List.self, Link.self, Code.self, Edit.self, Select.self, Remove.self, Programmes.self]),
            CommandGroup(name: "Sharing", subcommands: [Email.self, Compose.self, Note.self, Use.self, Event.self]),
            CommandGroup(
                name: "What has come of it",
                subcommands: [Shares.self, Claims.self, Referrals.self, Rewards.self]),
        ],
        defaultSubcommand: List.self)

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show what you share. (Also: kith share)")
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let shareables = try await context.sharing.shareables()
            var shapes: [Shape] = []
            for shareable in shareables {
                shapes.append(try await context.sharing.shape(of: shareable, at: context.location))
            }
            return CommandAnswer(["shareables": shapes]) { colour in
                if shareables.isEmpty { return ["You share nothing yet. To make a link: kith share link"] }
                let ids = ShortIDs(shareables.map(\.id))
                return Table(header: ["Code", "Programme", "Key", "Label", "Selected", "Id"], shareables) { one in
                    [
                        Table.Cell(one.code.text), Table.Cell(one.programme), Table.Cell(one.key ?? ""),
                        Table.Cell(one.label ?? ""), Table.Cell(one.selected?.date.day ?? "", .faint),
                        Table.Cell(ids[one.id], .faint),
                    ]
                }.lines(colour: colour)
            }
        }
    }

    struct Link: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "link",
            abstract: "Show your link, its code, and a QR code for somebody nearby.",
            discussion: """
                The link is made at its first use. After you have sent it to somebody: kith share note. Visits of the page \
                are counted for the channel that --by names; those by the QR code for the channel scan.
                """)
        @OptionGroup var choice: ShareableChoice
        @OptionGroup var way: ChannelOption
        @Flag(name: .customLong("no-qr"), help: "Show no QR code.") var isTextOnly = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let shareable = try await choice.sent(context)
            let isReady = try await context.sharing.isReady(shareable.id)
            let link = context.sharing.link(of: shareable, by: way.given, at: context.location)
            let scanned = isTextOnly ? nil : context.sharing.link(of: shareable, by: .scan, at: context.location)
            let shown = try await context.sharing.shape(of: shareable, at: context.location)
            let isPaused = try await context.sharing.isPausedNow(shareable.id)
            return CommandAnswer(["shareable": shown, "link": link, "isPaused": isPaused]) { _ in
                let code = scanned.map { context.console.lines(ofQRCode: $0) } ?? []
                var lines = code.isEmpty ? [] : code + [""]
                lines.append("Your code in the programme “\(shareable.programme)”: \(shareable.code)".printable)
                if isPaused { lines.append(shareable.pauseNotice("The link opens, but nobody is rewarded.")) }
                if link == nil {
                    lines.append("For the link, name the server with --server or KITH_SERVER.")
                } else if !isReady {
                    lines.append("The link works when the server has it: kith sync")
                }
                return lines + [link].compactMap(\.self)
            }
        }
    }

    struct Code: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "code",
            abstract: "Choose your own code, such as ADA-TEA.",
            discussion: """
                A code has letters A to Z, digits and hyphens; the programme says how many, and may reserve words. Your \
                earlier codes go on working, and nobody else gets one of them.
                """)
        @Argument(help: "The code.") var code: String
        @OptionGroup var choice: ShareableChoice
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let known = Set(try await context.client.rejections().map(\.id))
            let shareable: Shareable
            do {
                shareable = try await choice.sent(context) {
                    try await context.sharing.setCode(code, of: $0.id)
                }
            } catch let failure as Failure {
                throw try await refusal(context, notIn: known) ?? failure
            }
            let link = context.sharing.link(of: shareable, at: context.location)
            let shape = try await context.sharing.shape(of: shareable, at: context.location)
            return CommandAnswer(["shareable": shape]) { _ in
                ["Your code is now \(shareable.code).", link].compactMap(\.self)
            }
        }

        /// The refusal of the code alone, which is dismissed, because this command reports it completely; nil if something else
        /// was refused too, or would be lost.
        private func refusal(_ context: CommandContext, notIn known: Set<Rejection.ID>) async throws -> Failure? {
            let new = try await context.client.rejections().filter { !known.contains($0.id) }
            guard let only = new.first, new.count == 1, only.collection == .shareables,
                let refused = only.values["code"]?.text,
                Set(only.values.keys).isSubset(of: ["programme", "key", "code"])
            else { return nil }
            try await context.client.dismiss(only.id)
            return Failure(.refused, only.code.rawValue, "The code \(refused) was refused: \(only.sentence)".printable)
        }
    }

    struct Edit: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit",
            abstract: "Change the label, the content, the values or the list of what you share.",
            discussion: "An empty text removes what was there.")
        @OptionGroup var choice: ShareableChoice
        @Option(help: "What you call it.") var label: String?
        @Option(help: "A text for the people who open the link.") var content: String?
        @OptionGroup var values: ValuesOption
        @Option(
            name: .customLong("list-link"),
            help: ArgumentHelp("The public link of a list that the page shows.", valueName: "link"))
        var listLink: String?
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if label == nil && content == nil && values.text == nil && listLink == nil {
                throw ValidationError("Name what to change: --label, --content, --values or --list-link.")
            }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let shareable = try await choice.sent(context) {
                try await context.sharing.update(
                    $0.id, label: label, content: content, data: values.text, list: listLink)
            }
            let shape = try await context.sharing.shape(of: shareable, at: context.location)
            return CommandAnswer(["shareable": shape], "Changed \(shareable.called).")
        }
    }

    struct Select: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "select",
            abstract: "Select what the other commands share if you name nothing.")
        @Argument(help: "Its key, its label, its code or the start of its id.") var shareable: String
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let found = try await context.sharing.shareable(named: shareable)
            try await context.sending { try await context.sharing.select(found.id) }
            let now = try await context.sharing.shareable(found.id) ?? found
            return CommandAnswer(
                ["shareable": try await context.sharing.shape(of: now, at: context.location)],
                "Selected \(now.called) in the programme “\(now.programme)”.")
        }
    }

    struct Remove: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove something that you share from your devices.",
            discussion: "Its link goes on working, because other people may have it.")
        @Argument(help: "Its key, its label, its code or the start of its id.") var shareable: String
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let found = try await context.sharing.shareable(named: shareable)
            let shape = try await context.sharing.shape(of: found, at: context.location)
            try await context.sending { try await context.sharing.remove(found.id) }
            return CommandAnswer(
                ["removed": shape], "Removed \(found.called) from your devices. Its link goes on working.")
        }
    }
}
