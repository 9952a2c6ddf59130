import ArgumentParser
import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel

/// Contacts from files and to files.
extension ContactsCommand {
    struct Import: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Add the cards of a file to a source.",
            discussion: """
                Reads vCards (2.1, 3.0 and 4.0) and JSContact. A card is left out if the source has one of the same uid \
                and name already. If its content differs, it is named, and the exit code is 7. \
                Cards and parts of cards that cannot be read are named with their lines on standard error, stop no \
                other, and make the exit code 7. Neither does a card stop others that an account's server refuses: it is \
                named with the reason, and the exit code is 5.
                """)
        @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
        @Option(help: "The source to add to. Without it: the only one there is.") var to: String?
        @Option(help: "The format of the file. Default: recognised automatically.") var format: CardFormat?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let target = try target(context)
            let source = NamedFile(file)
            var stream = try CardStream(source.open(), named: source.name, format: format)
            var (read, added) = (0, 0)
            var differing: [String] = []
            var refused: [UnaddedCards.Refused] = []
            var faults: [CardFormat.Fault] = []
            var faultCount = 0
            while let batch = try stream.next() {
                for fault in batch.faults.prefix(Self.mostFaults - faults.count) {
                    faults.append(fault)
                    context.console.note("\(source.name):\(fault.place): \(fault.reason)".printable)
                }
                faultCount += batch.faults.count
                read += batch.cards.count
                if batch.cards.isEmpty { continue }
                let result: AddedCards
                do {
                    result = try await context.console.progress("Importing") {
                        try await context.addressBook.add(batch.cards, to: target.id)
                    }
                } catch let error as KithError {
                    let unadded = error.cause as? UnaddedCards
                    let unnamed = unadded?.refused ?? []
                    for card in unnamed.prefix(max(0, Self.mostNamed - refused.count)) {
                        context.console.note("“\(card.name)” was not added: \(card.reason)".printable)
                    }
                    refused += unnamed
                    guard let part = unadded?.added, unadded?.isStopped == false else {
                        if added == 0 { throw error }
                        let before = "\(added.things("card")) of the file \(added == 1 ? "was" : "were") added before. "
                        throw KithError(error.code, before + error.sentence, cause: error)
                    }
                    result = part
                }
                added += result.references.count
                differing += result.differing.map { Card($0).shownName }
            }
            let moreFaults = faultCount - faults.count
            if moreFaults > 0 { context.console.note("\(source.name): … and \(moreFaults) more".printable) }
            let moreRefused = refused.count - Self.mostNamed
            if moreRefused > 0 { context.console.note("… and \(moreRefused) more were not added") }
            if read == 0 {
                throw Failure(.faults, "faults", "There is no card in \(source.name) that could be read.")
            }
            var sentence = "Imported \(added.things("card")) into “\(target.name)”"
            let known = read - added - differing.count - refused.count
            if known > 0 { sentence += "; \(known) \(known == 1 ? "was" : "were") there already" }
            if !differing.isEmpty { sentence += "; " + Self.sentence(differing) }
            if !refused.isEmpty { sentence += "; \(refused.count) \(refused.count == 1 ? "was" : "were") refused" }
            if faultCount > 0 { sentence += "; found \(faultCount.things("fault"))" }
            return CommandAnswer(
                [
                    "source": target.id, "imported": added, "known": known, "differing": differing,
                    "refused": refused.map { ["name": $0.name, "reason": $0.reason] as Shape },
                    "faults": faults.map { ["place": $0.place, "reason": $0.reason] as Shape },
                    "moreFaults": moreFaults,
                ],
                status: !refused.isEmpty ? .refused : faultCount == 0 && differing.isEmpty ? .done : .faults,
                sentence + ".")
        }

        /// The number of differing cards, and of refused ones, that are named to people.
        private static let mostNamed = 10

        private static func sentence(_ differing: [String]) -> String {
            let what =
                differing.count == 1
                ? "1 differs from the card that is there, and was left out"
                : "\(differing.count) differ from the cards that are there, and were left out"
            let hidden = differing.count - mostNamed
            let names = differing.prefix(mostNamed).joined(separator: ", ")
            return "\(what): \(names)" + (hidden > 0 ? " … and \(hidden) more" : "")
        }

        /// The number of unreadable cards that are named. The others are only counted.
        private static let mostFaults = 1_000

        private func target(_ context: CommandContext) throws -> SourceStatus {
            if let to { return try context.addressBook.source(named: to) }
            let sources = context.addressBook.sources
            if sources.count == 1 { return sources[0] }
            throw Failure.usage(
                sources.isEmpty
                    ? "There is no source to add them to. Make one: kith contacts add-source FOLDER"
                    : "Say which source to add them to with --to:", candidates: sources.map(\.name))
        }
    }

    struct Export: ContactsReading {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write contacts to a file: vCards byte for byte as in their sources, or JSContact.",
            discussion: "If a source cannot be read, the others are exported, and the exit code is 7.")
        @Argument(help: "Only these contacts.") var contacts: [String] = []
        @Option(help: "The format. Default: vCard; to standard output with --json, JSContact.")
        var format: CardFormat?
        @Option(help: "Rewrite every vCard in this version: 2.1, 3.0 or 4.0. Without it: as it is.")
        var version: VCard.Version?
        @Option(help: "Only the cards of this source.") var source: String?
        @Option(
            name: .shortAndLong, help: "The file, which is replaced; - is standard output, the default.",
            completion: .file())
        var output = "-"
        @OptionGroup var region: RegionOption
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if version != nil && (format ?? .vcard) != .vcard { throw ValidationError("Only vCards have a --version.") }
        }

        func answer(_ context: CommandContext, _ all: [Contact]) async throws -> CommandAnswer {
            try context.addressBook.checkIsNoSource(NamedFile(output))
            let chosen = contacts.isEmpty ? all : try context.addressBook.distinctContacts(named: contacts, among: all)
            let only = try source.map { try context.addressBook.source(named: $0).id }
            let cards = chosen.flatMap(\.cards).filter { only == nil || $0.source == only }
            let format = format ?? (context.console.isJSON && output == "-" && version == nil ? .jscontact : .vcard)
            let data = try await context.console.progress("Exporting") {
                try await bytes(of: cards, as: format, context)
            }
            let unread = context.addressBook.sources.filter { only == nil || $0.id == only }.unread
            if !unread.isEmpty { context.console.note(unread.lack.printable) }
            let status = unread.isEmpty ? ExitStatus.done : .faults
            if output == "-" { return CommandAnswer(content: data, status: status) }
            try NamedFile(output).write(data)
            return CommandAnswer(
                [
                    "file": output, "format": format.rawValue, "exported": cards.count,
                    "unreadSources": unread.map(\.name),
                ],
                status: status, "Wrote \(cards.count.things("card")) to \(output).")
        }

        private func bytes(
            of cards: [SourcedCard], as format: CardFormat, _ context: CommandContext
        ) async throws -> Data {
            let book = context.addressBook
            var vCards: [VCard] = []
            for card in cards { vCards.append(try await book.vCard(of: card)) }
            if format == .jscontact { return try CardFormat.jsContact(vCards) }
            let strays = vCards.reduce(0) { $0 + $1.strayLines }
            if version != nil, strays > 0 {
                context.console.note(
                    "Left out \(strays.things("line")) that \(strays == 1 ? "is no property" : "are no properties").")
            }
            let written = version.map { version in vCards.map { VCard($0, version: version) } } ?? vCards
            return try VCardExport(written, isOfOneFile: book.areOfOneFile(cards)).data
        }
    }
}

extension Card {
    /// The name of a card in messages.
    fileprivate var shownName: String {
        name.displayText ?? organizations.first?.name ?? uid ?? "a card without a name"
    }
}
