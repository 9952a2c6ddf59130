import ArgumentParser
import Foundation
import Kith
import KithAddressBook
import KithModel

/// The sources of the contacts.
extension ContactsCommand {
    struct Sources: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "sources",
            abstract: "Show the sources with their states and faults.")
        @OptionGroup var region: RegionOption
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try await region.remember(context)
            let book = context.addressBook
            // This command shows sources that cannot be read, so that is no failure.
            if !book.sources.isEmpty {
                _ = try? await context.console.progress(book.loading) { try await book.loaded() }
            }
            let sources = book.sources
            return CommandAnswer(["sources": sources.map(\.shape), "region": book.region?.code]) { colour in
                if sources.isEmpty { return ["No sources yet. Add one: kith contacts add-source CONTACTS.vcf"] }
                let ids = ShortIDs(sources.map(\.id))
                let table = Table(
                    header: ["Name", "Cards", "Where", "State", "Id"], isNumbered: true, sources
                ) { source in
                    [
                        Table.Cell(source.name), .number(source.cards),
                        Table.Cell(source.location?.shown ?? ""), source.stateCell, Table.Cell(ids[source.id], .faint),
                    ]
                }
                return table.lines(colour: colour) + sources.flatMap(\.faultLines)
            }
        }
    }

    struct AddSource: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "add-source",
            abstract: "Add a vCard file, a folder of vCards or a CardDAV account.",
            discussion: """
                The file or folder stays where it is and is read again when it changes. An account needs a name to \
                sign in with; its password is asked for, or read from --password-file or \(SecretText.variable), and \
                is kept with the tokens of this device.
                """)
        @Argument(
            help: ArgumentHelp("The file, the folder, or the account's address.", valueName: "location"),
            completion: .file())
        var location: String
        @Option(help: "What to call it. Without it: as the file, the folder or the server is called.")
        var name: String?
        @Option(help: "The name to sign in with, for an account.") var user: String?
        @Option(
            help: ArgumentHelp(
                "The file that has the password in its first line; - is standard input.",
                valueName: "file"),
            completion: .file())
        var passwordFile: String?
        @Flag(
            name: .customLong("without-tls"),
            help: "Send the password unencrypted, over http. Everyone on the way can read it.")
        var withoutTLS = false
        @OptionGroup var region: RegionOption
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if location.isEmpty { throw ValidationError("Name the file, the folder or the account: this is empty.") }
            if name?.allSatisfy(\.isWhitespace) == true {
                throw ValidationError("A source needs a name to be seen by.")
            }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try await region.remember(context)
            let place = try SourceLocation(location, user: user, withoutTLS: withoutTLS)
            let book = context.addressBook
            if let known = book.sources.first(where: { $0.location?.isSamePlace(as: place) == true }) {
                throw Failure(.usage, "known", "That is a source already: “\(known.name)”.")
            }
            var password: String?
            if case .cardDAV(_, let user, _) = place {
                password = try SecretText(file: passwordFile).read(for: user, context.console)
            }
            let known = book.sources
            let id = try await book.addSource(place, name: name, password: password)
            if let known = known.first(where: { $0.id == id }) {
                throw Failure(
                    .usage, "known", "Its contacts are in a source already, under another address: “\(known.name)”.")
            }
            do {
                _ = try await context.console.progress(book.loading) { try await book.loaded() }
            } catch {
                // Reported below for this source only, because the others may be fine.
            }
            guard let source = book.sources.first(where: { $0.id == id }) else {
                throw Failure(.failed, "source", "The source was removed while it was being read.")
            }
            if let error = source.error, error.code != .offline {
                try await book.removeSource(id)
                throw Failure(ExitStatus(error.code), error.code.rawValue, error.sentence + " It was not added.")
            }
            if case .vCardFile = place, source.error == nil, source.cards == 0 {
                for line in source.faultLines { context.console.note(line) }
                try await book.removeSource(id)
                throw Failure(
                    .faults, "noCard",
                    "There is no vCard in “\(location)” that can be read. It was not added. Is it the right file?")
            }
            return answer(source, context)
        }

        private func answer(_ source: SourceStatus, _ context: CommandContext) -> CommandAnswer {
            for line in source.faultLines { context.console.note(line) }
            var sentence = "Added “\(source.name)”: \(source.cards.things("card"))"
            if let error = source.error { sentence = "Added “\(source.name)”. \(error.sentence)" }
            if !source.faults.isEmpty { sentence += "; found \(source.faults.total.things("fault"))" }
            return CommandAnswer(
                ["source": source.shape], status: source.faults.isEmpty ? .done : .faults,
                sentence.hasSuffix(".") ? sentence : sentence + ".")
        }
    }

    struct RemoveSource: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-source",
            abstract: """
                Remove a source and its contacts from the address book. The file, folder or account stays as it is.
                """,
            discussion: """
                An account with edits that it does not have yet is removed only with --drop. “kith contacts” sends them \
                if the server can be reached, and “kith contacts sources” shows those that it has refused.
                """)
        @Argument(help: "The source: its name, its number in “kith contacts sources”, or the start of its id.")
        var source: String
        @Flag(help: "Lose the edits that the account does not have yet.") var drop = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let source = try context.addressBook.source(named: source)
            let unsent = try await context.addressBook.unsentEdits(of: source.id)
            if !unsent.isEmpty, !drop { throw Failure(unsent, of: source) }
            try await context.addressBook.removeSource(source.id)
            return CommandAnswer(
                ["removed": source.shape],
                "Removed “\(source.name)”. \(source.location?.shown ?? "What it was read from") is untouched.")
        }
    }
}

extension Failure {
    /// A source is not removed because of its unsent edits.
    fileprivate init(_ unsent: [UnsentEdit], of source: SourceStatus) {
        let names = unsent.prefix(Self.editsShown).map { $0.name.map { "“\($0)”" } ?? $0.reference.name }
        let all = names.joined(separator: ", ") + (unsent.count > names.count ? " …" : "")
        self.init(
            .refused, "unsent",
            "“\(source.name)” does not have \(unsent.count.things("edit")) yet, of \(all). It was not removed. To send "
                + "what can be sent: kith contacts. To lose it: kith contacts remove-source --drop")
    }

    /// The number of edits that are named.
    private static let editsShown = 10
}

extension SourceStatus {
    /// The source for `--json`, with all faults that are kept.
    var shape: Shape {
        let faultShapes = faults.map { ["file": $0.name, "line": $0.line, "reason": $0.sentence] as Shape }
        let unsentShapes = unsent.map { edit in
            ["reference": edit.reference.name, "name": edit.name, "refused": edit.isRefused, "reason": edit.reason]
                as Shape
        }
        return [
            "id": id, "name": name, "kind": location?.kind, "location": location?.shown, "state": stateName,
            "cards": cards, "error": error?.shape,
            "faults": faultShapes, "moreFaults": faults.more, "limited": access == .limited, "waiting": waiting,
            "unsent": unsentShapes,
            "loaded": lastLoaded,
        ]
    }

    /// The number of a source's faults that are shown to people.
    private static let faultsShown = 10

    /// A line for each of the first faults, in the format of compilers, so that editors can jump to it.
    var faultLines: [String] {
        let place = location?.shown ?? name
        let shown = faults.prefix(Self.faultsShown).map { fault in
            "\(address(of: fault) ?? place):\(fault.line): \(fault.sentence)".printable
        }
        let hidden = faults.total - shown.count
        if hidden == 0 { return shown }
        return shown + ["\(place): … and \(hidden) more. To see them: kith contacts sources --json".printable]
    }

    /// The file of a folder, or the address of a card or an address book of an account; nil if the source is one file.
    private func address(of fault: SourceFault) -> String? {
        if let card = fault.editedCard { return address(of: card) }
        guard let name = fault.name else { return nil }
        guard case .cardDAV(let url, _, _) = location,
            var address = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else {
            let place = location?.shown ?? self.name
            return place.hasSuffix("/") ? place + name : "\(place)/\(name)"
        }
        (address.path, address.query) = (name, nil)
        return address.string
    }

    /// The address of a card of an account. For another source, the card's reference.
    func address(of card: CardReference) -> String {
        guard case .cardDAV(let url, _, _) = location else { return card.name }
        return URL(string: card.name, relativeTo: url)?.absoluteString ?? card.name
    }

    private var stateName: String {
        switch state {
        case .unread: "unread"
        case .loading: "loading"
        case .loaded: "loaded"
        case .failed: "failed"
        }
    }

    fileprivate var stateCell: Table.Cell {
        let refused = unsent.count - waiting
        let edits = [
            waiting == 0 ? nil : "\(waiting.things("edit")) to send",
            refused == 0 ? nil : "\(refused.things("edit")) refused",
        ].compactMap(\.self).joined(separator: ", ")
        if let error {
            return Table.Cell(edits.isEmpty ? error.sentence : "\(error.sentence) (\(edits))", .warning)
        }
        if access == .limited { return Table.Cell("only the contacts that you allowed", .warning) }
        let faultCount = faults.isEmpty ? "" : faults.total.things("fault")
        let parts = [stateName, faultCount, edits].filter { !$0.isEmpty }
        return Table.Cell(parts.joined(separator: ", "), faults.isEmpty ? .plain : .warning)
    }
}
