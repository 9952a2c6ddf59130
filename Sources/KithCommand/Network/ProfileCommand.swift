public import ArgumentParser
import Kith
public import KithModel

/// `kith profile`: the account's profile, and who may see each part.
struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Show and change your profile, and who may see it.",
        subcommands: [Show.self, Set.self, SetPicture.self, SetVisibility.self], defaultSubcommand: Show.self)

    enum Viewer: String, CaseIterable, ExpressibleByArgument { case everyone, network }

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show your profile and your account id, by which others can ask you. (Also: kith profile)")
        @Option(name: .customLong("as"), help: "Only the parts that these people see: everyone or network.") var viewer:
            Viewer?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let account = try await context.client.session.account()
            let profile = try await context.client.network.profile()
            guard let viewer else {
                return CommandAnswer(profile.ownShape(account)) { profile.ownLines(account, colour: $0) }
            }
            let shown = Profile(Profile.shown(profile.fields, toNetwork: viewer == .network))
            let who = viewer == .everyone ? "Everyone" : "Your network"
            return CommandAnswer(["account": account, "profile": shown.shownShape]) { colour in
                if shown.rows.isEmpty { return ["\(who) sees nothing of your profile."] }
                let table = Table(shown.rows) { row in [Table.Cell(row.label), Table.Cell(row.text)] }
                return ["\(who) sees:"] + table.lines(colour: colour)
            }
        }
    }

    struct SetVisibility: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "visibility", abstract: "Set who may see a part of your profile, and who may find you.",
            discussion: """
                Parts: \(Profile.Part.allCases.map(\.rawValue).joined(separator: ", ")). Presence and last seen are for \
                the network at most. Without a part it only shows the choices.
                """)
        enum Listing: String, EnumerableFlag { case listed, notListed }
        enum JoinNotice: String, EnumerableFlag { case notifyOfJoins, noNotifyOfJoins }
        enum Findability: String, EnumerableFlag { case discoverable, notDiscoverable }

        @Argument(help: "The part.", completion: .list(Profile.Part.allCases.map(\.rawValue))) var part: Profile.Part?
        @Argument(help: "everyone, network or nobody.") var who: Visibility?
        @Flag(help: "Whether a search of the directory by name finds you.") var listing: Listing?
        @Flag(help: "Whether people with one of your numbers or emails can find you.") var discovery: Findability?
        @Flag(help: "Whether you are notified when an invited person joins.") var joins: JoinNotice?
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if part != nil && who == nil { throw ValidationError("Say who may see it: everyone, network or nobody.") }
            if let part, let who, who > part.widest {
                throw ValidationError("“\(part.rawValue)” can be shown to your network at most.")
            }
        }

        private var isEdit: Bool { part != nil || listing != nil || discovery != nil || joins != nil }

        func hasEdited(_ context: CommandContext) -> Bool { isEdit }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            if isEdit {
                try await context.client.network.updateProfile { profile in
                    if let part, let who { profile.visibility[part] = who }
                    if let listing { profile.isListed = listing == .listed }
                    if let discovery { profile.isDiscoverable = discovery == .discoverable }
                    if let joins { profile.isNotifiedOfJoins = joins == .notifyOfJoins }
                }
            }
            let account = try await context.client.session.account()
            let profile = try await context.client.network.profile()
            return CommandAnswer(profile.ownShape(account)) { colour in
                if isEdit {
                    let choice = part.map { "“\($0.rawValue)” is shown to \(profile.visibility(of: $0).rawValue)." }
                    let finding = [
                        listing == nil ? nil : profile.listedLine, discovery == nil ? nil : profile.foundLine,
                        joins == nil ? nil : profile.joinsLine,
                    ]
                    return ([choice] + finding).compactMap(\.self)
                }
                let table = Table(header: ["Part", "Who may see it"], Profile.Part.allCases) { part in
                    [Table.Cell(part.rawValue), Table.Cell(profile.visibility(of: part).rawValue)]
                }
                return table.lines(colour: colour) + profile.findingLines
            }
        }
    }
}

extension Visibility: ExpressibleByArgument {}

extension Profile.Part: ExpressibleByArgument {
    /// Reads a part by its name, or by its word in `kith profile set`: `job`, `time-zone`, `phone` …
    public init?(argument: String) {
        guard let part = Self(rawValue: argument) ?? Profile.allFields.first(where: { $0.word == argument })?.part
        else { return nil }
        self = part
    }
}

extension Profile {
    func ownShape(_ account: AccountID?) -> Shape { ["account": account, "profile": shape] }

    /// The profile for its owner, with who may see each part.
    ///
    /// An edit that is not sent yet (`isUnsent`) can open the first session, so nothing is said about a missing account.
    func ownLines(_ account: AccountID?, isUnsent: Bool = false, colour: Bool) -> [String] {
        let table = Table(rows) { row in
            let who = visibility(of: row.part)
            return [
                Table.Cell(row.label), Table.Cell(row.text),
                Table.Cell(who.rawValue, who == .everyone ? .warning : .faint),
            ]
        }
        let lines =
            rows.isEmpty
            ? ["Your profile is empty. Fill it: kith profile set --given NAME"] : table.lines(colour: colour)
        let id: String? =
            account.map {
                "Your account's id is \($0). Whoever has it can ask to connect with you: kith network connect ID"
            }
            ?? (isUnsent ? nil : "You have no account yet, or are logged out: kith session says what to do.")
        return lines + findingLines + [id].compactMap(\.self)
    }

    fileprivate var findingLines: [String] { [listedLine, foundLine, joinsLine] }

    fileprivate var listedLine: String {
        isListed ? "You are listed in the directory." : "You are not listed in the directory."
    }

    fileprivate var joinsLine: String {
        isNotifiedOfJoins
            ? "You are notified when an invited person joins."
            : "You are not notified when an invited person joins."
    }

    fileprivate var foundLine: String {
        isDiscoverable
            ? "People who have one of your numbers or emails can find you."
            : "Nobody can find you by your numbers or emails."
    }
}
