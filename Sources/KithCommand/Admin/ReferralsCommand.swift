package import ArgumentParser
import Foundation
import KithModel
package import KithServer

/// `kith admin referrals`: friends and who has brought them, and the operator's decisions about the rewards.
struct ReferralsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "referrals", abstract: "Show friends and who has brought them, and release or refuse rewards.",
        discussion: """
            A reward is held if something about it is doubtful, or if the programme holds all rewards for some days. Release \
            or refuse it by the start of its id, several at once, or all of a kind with --all.
            """,
        subcommands: [List.self, Release.self, Refuse.self], defaultSubcommand: List.self)

    struct List: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Show the newest referrals, and why they are held or refused. (Also: kith admin referrals)")
        @Flag(help: "Only those of one state.") var state: ReferralRow.State?
        @Option(help: ArgumentHelp("Only those of this programme.", valueName: "name")) var programme: String?
        @Option(
            help: ArgumentHelp("Only those with this reason, such as velocity.", valueName: "reason"),
            transform: ReferralReason.argument)
        var reason: ReferralReason?
        @OptionGroup var files: ServerFiles
        @OptionGroup var listing: ListingOptions

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            try await admin.requireProgramme(programme)
            let (shown, hasMore) = try await listing.newest {
                try await admin.referrals.rows(state, programme: programme, reason: reason, limit: $0)
            }
            let entries = shown.compactMap(\.self)
            let damaged = shown.count - entries.count
            let note = "Damaged and not shown: \(damaged). With SQLite, kith admin check names them."
            return CommandAnswer(["referrals": entries.map(\.shape), "more": hasMore, "damaged": damaged]) { colour in
                entries.lines(colour: colour) + (hasMore ? ["There are more: --limit N"] : [])
                    + (damaged > 0 ? [note] : [])
            }
        }
    }

    struct Release: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "release",
            abstract: "Grant the rewards of referrals that are held or refused.",
            discussion: "A reward is granted once, also if the command is repeated. It cannot be taken back.")
        @OptionGroup var choice: ReferralChoice
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let ids = try await choice.resolve(admin, toBe: "released")
            return try await admin.referrals.release(ids, at: Timestamp(.now)).answer("Released")
        }
    }

    struct Refuse: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "refuse",
            abstract: "Refuse the rewards of referrals that are held.",
            discussion: "Rewards that are granted cannot be refused. A refused referral can still be released.")
        @OptionGroup var choice: ReferralChoice
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let ids = try await choice.resolve(admin, toBe: "refused")
            return try await admin.referrals.refuse(ids, at: Timestamp(.now)).answer("Refused")
        }
    }
}

extension ReferralRow.State: EnumerableFlag {
    /// The help for the flag of a state.
    package static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        case .held: "Only those that wait."
        case .granted: "Only those whose rewards are granted."
        case .refused: "Only those that are refused."
        }
    }
}

extension ReferralEntry {
    /// The referral for `--json`.
    fileprivate var shape: Shape {
        [
            "id": id, "programme": programme, "advocate": advocate, "friend": friend, "event": event, "basis": basis,
            "channel": channel, "state": state.rawValue, "reasons": reasons.map(\.rawValue), "occurred": occurred.date,
            "until": until?.date, "decided": decided?.date, "isByOperator": isByOperator,
        ]
    }

    /// The state, in a few words.
    fileprivate var stateText: String {
        switch state {
        case .held: "held" + (until.map { " until \($0.date.day)" } ?? "")
        case .granted: isByOperator ? "granted by you" : "granted"
        case .refused: isByOperator ? "refused by you" : "refused"
        }
    }
}

extension [ReferralEntry] {
    /// The table of a listing, and what its reasons mean.
    fileprivate func lines(colour: Bool) -> [String] {
        if isEmpty { return ["There are no such referrals."] }
        let ids = ShortIDs(map(\.id))
        let people: [AccountID] = map(\.advocate) + map(\.friend)
        let accounts = ShortIDs([AccountID](Set(people)))
        let table = Table(
            header: ["When", "Programme", "Advocate", "Friend", "Event", "Channel", "State", "Why", "Id"], self
        ) { one in
            [
                Table.Cell(one.occurred.date.day, .faint), Table.Cell(one.programme),
                Table.Cell(accounts[one.advocate]), Table.Cell(accounts[one.friend]), Table.Cell(one.event),
                Table.Cell(one.channel.rawValue), Table.Cell(one.stateText),
                Table.Cell(one.reasons.map(\.rawValue).joined(separator: ", ")), Table.Cell(ids[one.id], .faint),
            ]
        }
        let reasons = ReferralReason.allCases.filter { reason in contains { $0.reasons.contains(reason) } }
        let meanings = reasons.map { "\($0.rawValue): \($0.sentence)" }
        return table.lines(colour: colour) + (meanings.isEmpty ? [] : [""] + meanings)
    }
}

extension [ReferralDecision] {
    /// The result of a command that decides. `verb` is what was done: “Released”.
    fileprivate func answer(_ verb: String) -> CommandAnswer {
        let shapes: [Shape] = map { ["id": $0.id, "result": $0.result.rawValue] }
        let counts = Dictionary(map { ($0.result, 1) }, uniquingKeysWith: +)
        let unknown = counts[.unknown] ?? 0
        return CommandAnswer(["decisions": shapes], status: unknown > 0 ? .notFound : .done) { _ in
            ["\(verb) \((counts[.done] ?? 0).things("referral"))."]
                + (counts[.unchanged].map { ["Decided before: \($0.things("referral"))."] } ?? [])
                + (unknown > 0 ? ["Not found: \(unknown.things("id"))."] : [])
        }
    }
}
