import ArgumentParser
import Kith
import KithModel

/// The commands that show the programmes, and what has come of sharing.
extension ShareCommand {
    struct Programmes: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "programmes",
            abstract: "Show the programmes of the server: what you can share, and what it earns.")
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            guard let programmes = try await context.sharing.knownProgrammes(maxAge: .zero) else {
                throw Failure(
                    .offline, "offline",
                    "This device does not know the programmes of a server, and cannot ask it now. Try it again with a server."
                )
            }
            return CommandAnswer(["programmes": programmes.map(\.shape)]) { colour in
                if programmes.isEmpty { return ["The server has no programmes, so there is nothing to share."] }
                return programmes.flatMap { $0.lines(colour: colour) }
            }
        }
    }

    struct Shares: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "shares",
            abstract: "Show when and how you have shared, the recipients, and what became of emails.")
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let shares = try await context.sharing.shares()
            let shareables = try await context.sharing.shareables()
            let names = Dictionary(shareables.map { ($0.id, $0.called) }) { first, _ in first }
            return CommandAnswer(["shares": shares.map(\.shape)]) { colour in
                if shares.isEmpty { return ["You have shared nothing yet. By email: kith share email ADDRESS"] }
                let ids = ShortIDs(shares.map(\.id))
                return Table(header: ["When", "What", "To", "Channel", "Status", "Id"], shares) { one in
                    [
                        Table.Cell(one.shared.date.day, .faint), Table.Cell(names[one.shareable] ?? ""),
                        Table.Cell(one.recipient?.shown ?? ""), Table.Cell(one.channel.rawValue),
                        Table.Cell(one.statusText), Table.Cell(ids[one.id], .faint),
                    ]
                }.lines(colour: colour)
            }
        }
    }

    struct Claims: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "claims",
            abstract: "Show the codes of other people that you have used, and whether they count.")
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let claims = try await context.sharing.claims()
            let isSignedUp = try await context.client.status().session == .identified
            return CommandAnswer(["claims": claims.map(\.shape)]) { colour in
                if claims.isEmpty { return ["You have used no code. To use one: kith share use CODE"] }
                return Table(header: ["When", "Code", "Programme", "What became of it"], claims) { one in
                    [
                        Table.Cell(one.used.date.day, .faint), Table.Cell(one.code.text),
                        Table.Cell(one.programme ?? ""), Table.Cell(one.statusText(isSignedUp: isSignedUp)),
                    ]
                }.lines(colour: colour)
            }
        }
    }

    struct Referrals: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "referrals",
            abstract: "Show who has joined because of you.",
            discussion: "A name is shown if the person shows it to you.")
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let referrals = try await context.sharing.referrals()
            return CommandAnswer(["referrals": referrals.map(\.shape)]) { colour in
                if referrals.isEmpty { return ["Nobody has joined because of you yet."] }
                return Table(header: ["Joined", "Who", "Programme", "Known by", "State"], referrals) { one in
                    [
                        Table.Cell(one.joined.date.day, .faint), Table.Cell(one.friendName ?? "somebody"),
                        Table.Cell(one.programme), Table.Cell(one.basisText), Table.Cell(one.stateText),
                    ]
                }.lines(colour: colour)
            }
        }
    }

    struct Rewards: ClientCommand {
        static let configuration = CommandConfiguration(commandName: "rewards", abstract: "Show your rewards.")
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let rewards = try await context.sharing.rewards()
            return CommandAnswer(["rewards": rewards.map(\.shape)]) { colour in
                if rewards.isEmpty { return ["You have no rewards yet."] }
                return Table(header: ["Granted", "Reward", "Programme", "For"], rewards) { one in
                    [
                        Table.Cell(one.granted.date.day, .faint), Table.Cell(one.title ?? one.name),
                        Table.Cell(one.programme), Table.Cell(one.purpose),
                    ]
                }.lines(colour: colour)
            }
        }
    }
}

extension ShareProgramme {
    /// The programme for people: its name and title, then what it earns.
    fileprivate func lines(colour: Bool) -> [String] {
        let state = isPaused ? " (paused)" : ""
        let head = TextStyle.strong.applied(to: name.printable, colour: colour) + "\(state)  \(title.printable)"
        var table = Table()
        table.add(["  ", "For you", Table.Cell(advocateReward?.title ?? "nothing")])
        table.add(["  ", "For a friend", Table.Cell(friendReward?.title ?? "nothing")])
        return [head] + table.lines(colour: colour)
    }
}
