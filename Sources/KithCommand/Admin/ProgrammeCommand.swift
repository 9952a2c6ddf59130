import ArgumentParser
import Foundation
import KithModel
import KithServer

/// `kith admin programme`: the programmes in which people share and are rewarded.
struct ProgrammeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "programme", abstract: "Make, show, pause and resume the programmes of sharing.",
        discussion: """
            A programme is a JSON file: texts, rules for codes, rewards, and guards against fraud. Without a programme, \
            sharing is off. Documentation/Sharing.md describes the file.
            """,
        subcommands: [List.self, Create.self, Show.self, Pause.self, Resume.self], defaultSubcommand: List.self)

    struct List: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Show the programmes. (Also: kith admin programme)")
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let rows = try await admin.programmes.list()
            return CommandAnswer(["programmes": rows.map(\.shape)]) { colour in
                if rows.isEmpty { return ["There are no programmes. Make one: kith admin programme create FILE"] }
                return Table(header: ["Name", "Title", "State", "Changed"], rows) { row in
                    [
                        Table.Cell(row.programme.name), Table.Cell(row.programme.shownTitle),
                        Table.Cell(row.state),
                        Table.Cell(row.changed.date.day, .faint),
                    ]
                }.lines(colour: colour)
            }
        }
    }

    struct Create: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Make a programme from a JSON file, or replace one.",
            discussion: "It takes effect at once. A fault is shown with the path of its value, and changes nothing.")
        @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
        @Flag(help: "Replace the programme with the same name. Links, rewards, a pause and the picture stay.")
        var replace = false
        @Option(
            help: ArgumentHelp(
                "A picture for the page and for link previews: JPEG, PNG or WebP, at most 512 KiB, best 1,200 by 600.",
                valueName: "file"), completion: .file())
        var picture: String?
        @Flag(help: "Remove the picture of the programme that is replaced.") var noPicture = false
        @OptionGroup var files: ServerFiles

        func validate() throws {
            if picture != nil && noPicture { throw ValidationError("Use either --picture or --no-picture.") }
            if picture == "-" && file == "-" { throw ValidationError("Standard input is one file, not two.") }
        }

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let named = NamedFile(file)
            // One byte more than permitted, so that a larger file is refused as such.
            let data = try named.read(upTo: ProgrammeFile.size + 1)
            let row: ProgrammeRow
            do {
                row = try await admin.programmes.create(
                    data, picture: try change, replacing: replace, at: Timestamp(.now))
            } catch let error as ServerError where error.code == .malformed {
                throw Failure(
                    .faults, error.code.rawValue, "\(named.name): \(error.sentence) The place: \(error.path ?? "$")")
            } catch let error as ServerError where error.code == .conflict {
                throw Failure(
                    .refused, error.code.rawValue,
                    "There is a programme of this name already. To replace it, repeat the command with --replace.")
            }
            return row.answer(
                row.created == row.changed ? "is made" : "is replaced",
                "To get a link in it: kith share link --programme \(row.programme.name)")
        }

        /// What happens to the picture.
        private var change: ProgrammeService.PictureChange {
            get throws {
                guard let picture else { return noPicture ? .remove : .keep }
                let named = NamedFile(picture)
                // One byte more than permitted, so that a larger file is refused as such.
                let bytes = try named.read(upTo: ProgrammePicture.size + 1)
                do throws(ServerError) {
                    return .set(try ProgrammePicture(bytes))
                } catch {
                    throw Failure(.faults, error.code.rawValue, "\(named.name): \(error.sentence)")
                }
            }
        }
    }

    struct Show: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the rules of a programme, or its file.")
        @Argument(help: "The name of the programme.") var name: String
        @Flag(help: "Show the file as it was given.") var source = false
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let row = try await admin.programmes.show(name)
            if source { return CommandAnswer(content: Data(row.json.utf8)) }
            let picture = try await admin.programmes.picture(of: name)
            let file = try? JSONDecoder().decode(FieldValue.self, from: Data(row.json.utf8))
            let shown: Shape = ["type": picture?.type.rawValue, "bytes": picture?.bytes.count]
            return CommandAnswer(["programme": row.shape + ["picture": picture.map { _ in shown }, "file": file]]) {
                row.lines(picture, colour: $0)
            }
        }
    }

    struct Pause: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "pause",
            abstract: "Pause a programme: its links open, but nobody is rewarded.",
            discussion: "The server sends no emails of a paused programme.")
        @Argument(help: "The name of the programme.") var name: String
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            try await admin.programmes.setPaused(true, name, at: Timestamp(.now)).answer("is paused")
        }
    }

    struct Resume: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume", abstract: "End the pause of a programme.")
        @Argument(help: "The name of the programme.") var name: String
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            try await admin.programmes.setPaused(false, name, at: Timestamp(.now)).answer("is open")
        }
    }
}

extension AdminContext {
    /// Checks that there is a programme of this name. Without a name, there is nothing to check.
    ///
    /// - Throws: ``ServerError`` with the code `notFound`.
    func requireProgramme(_ name: String?) async throws {
        if let name { _ = try await programmes.show(name) }
    }
}

extension ProgrammeRow {
    /// The programme for `--json`.
    fileprivate var shape: Shape {
        [
            "name": programme.name, "isPaused": programme.isPaused, "title": programme.shownTitle,
            "languages": programme.languages, "advocateReward": programme.advocateReward?.name,
            "friendReward": programme.friendReward?.name, "created": created.date, "changed": changed.date,
            "fault": fault,
        ]
    }

    /// Whether it is open, in a few words.
    fileprivate var state: String { fault == nil ? (programme.isPaused ? "paused" : "open") : "not readable" }

    /// What this version cannot read, and what follows.
    private var warning: String? {
        fault.map { "This version of Kith cannot read it, so it counts as paused. \($0)" }
    }

    /// The result of a command that has changed the programme.
    fileprivate func answer(_ predicate: String, _ next: String? = nil) -> CommandAnswer {
        let sentence = "The programme “\(programme.name)” \(predicate)."
        return CommandAnswer(["programme": shape]) { _ in
            [sentence, warning, next].compactMap(\.self).map(\.printable)
        }
    }

    /// The rules for people.
    fileprivate func lines(_ picture: ProgrammePicture?, colour: Bool) -> [String] {
        if let warning { return [warning.printable] }
        var table = Table()
        func add(_ name: String, _ value: String?) {
            if let value { table.add([Table.Cell(name, .faint), Table.Cell(value)]) }
        }
        let (guards, codes) = (programme.guards, programme.codes)
        add("Title", programme.shownTitle)
        add("State", state)
        add("Languages", programme.languages.joined(separator: ", "))
        add("Join at", programme.url?.absoluteString)
        add("Links", programme.landing == .redirect ? "lead straight to “Join at”" : "show the page")
        add("Picture", picture.map { "\($0.type.rawValue), \(($0.bytes.count + 1023) / 1024) KiB" })
        add("Channels", programme.shares.keys.map(\.rawValue).sorted().joined(separator: ", "))
        add("Zones", programme.zones.map(\.words).joined(separator: ", "))
        add("Codes", "\(codes.lengths.lowerBound) to \(codes.lengths.upperBound) letters and digits")
        add("Reserved", codes.reserved.isEmpty ? nil : codes.reserved.joined(separator: ", "))
        add("For advocates", programme.advocateReward?.words ?? "nothing")
        add("For friends", programme.friendReward?.words ?? "nothing")
        let attribution = programme.attribution
        add("Attribution", "the \(attribution.rule.rawValue) share within \(attribution.window.days.things("day"))")
        add("Refused", guards.refusals.joined(separator: "; "))
        add("Held", guards.holds.joined(separator: "; "))
        add("Emails", "at most \(programme.sharesADay) a day for each account")
        return table.lines(colour: colour)
    }
}

extension Programme {
    /// The title in English, or in another language of the programme.
    fileprivate var shownTitle: String { Self.text(title, in: []) }

    /// The languages of the title.
    fileprivate var languages: [String] { title.keys.sorted() }
}

extension Programme.Zone {
    fileprivate var words: String { audience.count == 1 ? "\(name) (\(audience.map(\.rawValue).joined()))" : name }
}

extension Programme.Reward {
    fileprivate var words: String { "\(name) (\(Programme.text(title, in: []))) for “\(event)”" }
}

extension ReferralGuards {
    /// What is refused, in a few words each.
    fileprivate var refusals: [String] {
        [
            selfReferral ? "a friend with an email or a number of the advocate" : nil,
            duplicate ? "a person who was referred before" : nil,
            rewards.map { "more than \($0.things("reward")) of one advocate" },
        ].compactMap(\.self)
    }

    /// What is held, in a few words each.
    fileprivate var holds: [String] {
        let domains = disposable && !disposableDomains.isEmpty
        return [
            holding > .zero ? "every reward for \(holding.days.things("day"))" : nil,
            domains ? "emails of \(disposableDomains.count.things("domain")) of disposable mailboxes" : nil,
            referralsADay.map { "more than \($0.things("referral")) of one advocate in a day" },
            advocatesOfRecipient.map { "friends that more than \($0) people shared with in a day" },
            joinsInBulk.map { "more than \($0) friends of all advocates in ten minutes" },
            soonest.map { "friends who join within \($0.components.seconds) s of the share" },
            notedShares == .hold ? "friends of a share that a device has only noted" : nil,
        ].compactMap(\.self)
    }
}

extension Duration {
    /// The whole days.
    fileprivate var days: Int { Int(components.seconds / 86_400) }
}
