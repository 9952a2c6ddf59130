import ArgumentParser
import Kith
import KithAddressBook
import KithCards
import KithModel

/// Editing and removing cards in the sources.
extension ContactsCommand {
    struct Edit: ContactsReading {
        static let configuration = CommandConfiguration(
            commandName: "edit",
            abstract: "Change a contact in its file, folder or account.",
            discussion: """
                Properties that are not named stay unchanged, byte for byte. An empty text removes the value: \
                --note "". Of several companies, job titles or notes, the first is changed or removed. What another \
                program has changed in the same card is kept; if both have changed the same property, nothing is written \
                and both versions are shown. An edit of an account's card is sent now, or when its server can be reached.

                Anything else can be changed in the vCard itself:
                kith contacts show ada --vcard > old.vcf; cp old.vcf new.vcf; edit new.vcf; kith contacts edit ada \
                --vcard new.vcf --original old.vcf

                Without --original, the file replaces all of the card.
                """)
        @Argument(help: "The contact: its name, a number, an email, or the start of its id.") var contact: String
        @OptionGroup var changes: ContactChanges
        @Option(
            name: .customLong("vcard"),
            help: ArgumentHelp("Replace the card by the one in this file; - is standard input.", valueName: "file"),
            completion: .file())
        var file: String?
        @Option(
            name: .customLong("original"),
            help: ArgumentHelp(
                "The card of --vcard as it was before the edit. What other programs have changed since is kept.",
                valueName: "file"),
            completion: .file())
        var originalFile: String?
        @Flag(help: "Give up an edit that the account does not have yet. The contact can be the address of its card.")
        var discard = false
        @OptionGroup var card: CardChoice
        @OptionGroup var region: RegionOption
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if [!changes.isEmpty, file != nil, discard].count(where: \.self) > 1 {
                throw ValidationError("Say what to change with options, with --vcard, or --discard: one of these.")
            }
            if originalFile != nil && file == nil { throw ValidationError("--original belongs to --vcard.") }
            if changes.isEmpty && file == nil && !discard {
                throw ValidationError("Say what to change: --name, --add-phone … See kith help contacts edit.")
            }
        }

        func answer(_ context: CommandContext, _ contacts: [Contact]) async throws -> CommandAnswer {
            if discard { return try await discardEdit(context, contacts) }
            let contact = try context.addressBook.contact(named: contact, among: contacts)
            let book = context.addressBook
            let card = try card.one(of: contact, context)
            let stored = try await book.vCard(of: card)
            let original = try originalFile.map { try CardReplacement(Self.vCard(in: $0), of: stored).vCard } ?? stored
            let edited = try edited(stored, book)
            let saved = try await book.save(edited, editedFrom: original, of: card)
            if let others = changes.sentence(onOthersIn: Card(stored), reading: { book.phoneNumber($0) }) {
                context.console.note(others)
            }
            let name = Card(edited).name.displayText ?? contact.displayName
            let source = context.addressBook.sourceName(of: card)
            let sentence =
                saved.isSent
                ? "Saved “\(name)” in “\(source)”."
                : saved.reason.map { "Saved “\(name)” on this device, but not in “\(source)” yet. \($0)" }
                    ?? "Saved “\(name)”. It is sent to “\(source)” when its server can be reached."
            return CommandAnswer(
                ["source": card.source, "reference": saved.reference.name, "name": name, "sent": saved.isSent],
                sentence)
        }

        /// Discards the unsent edit that the argument names.
        private func discardEdit(_ context: CommandContext, _ contacts: [Contact]) async throws -> CommandAnswer {
            guard let (source, edit) = try unsentEdit(context, contacts) else {
                let name = try context.addressBook.contact(named: contact, among: contacts).displayName
                throw Failure.notFound("“\(name)” has no edit to discard.")
            }
            try await context.addressBook.discardEdit(of: edit.reference, in: source)
            let name = edit.name ?? edit.reference.name
            return CommandAnswer(
                ["source": source, "reference": edit.reference.name, "name": name, "sent": false],
                "Discarded the edit of “\(name)”. The account stays as it is.")
        }

        /// The unsent edit that the argument names: of a card of the contact, else by the whole name or address of the
        /// card, which its account may have no longer. Nil if there is none.
        private func unsentEdit(
            _ context: CommandContext, _ contacts: [Contact]
        ) throws -> (source: SourceID, edit: UnsentEdit)? {
            let all = context.addressBook.sources.flatMap { source in
                source.unsent.map { (source: source.id, edit: $0, address: source.address(of: $0.reference)) }
            }
            var fitting: [(source: SourceID, edit: UnsentEdit, address: String)] = []
            // If there is no such contact, the caller reports it.
            if let contact = try? context.addressBook.contact(named: contact, among: contacts) {
                let cards = card.isNamed ? [try card.one(of: contact, context)] : contact.cards
                fitting = all.filter { one in
                    cards.contains { $0.source == one.source && $0.reference == one.edit.reference }
                }
            }
            if fitting.isEmpty {
                fitting = all.filter { one in
                    [one.address, one.edit.reference.name].contains(contact)
                        || one.edit.name?.folded == contact.folded
                }
            }
            if fitting.count > 1 {
                throw Failure(
                    .notFound, "ambiguous",
                    "“\(contact)” fits \(fitting.count) edits. Name one by the address of its card:",
                    candidates: fitting.map(\.address))
            }
            return fitting.first.map { ($0.source, $0.edit) }
        }

        private func edited(_ stored: VCard, _ book: AddressBook) throws -> VCard {
            if let file {
                let replacement = try CardReplacement(Self.vCard(in: file), of: stored)
                if originalFile == nil { try replacement.checkTime(against: stored) }
                return replacement.vCard
            }
            var edited = stored
            edited.apply(try changes.applied(to: Card(stored)) { book.phoneNumber($0) })
            return edited
        }

        /// The only card in a file.
        private static func vCard(in file: String) throws -> VCard {
            let (cards, faults) = VCardReader.cards(in: try NamedFile(file).read())
            guard cards.count == 1, faults.isEmpty else {
                let reason = faults.first.map { "line \($0.line): \($0.sentence)" } ?? "it has \(cards.count) cards"
                throw Failure(.faults, "faults", "\(NamedFile(file).name) is not one vCard: \(reason).")
            }
            return cards[0]
        }
    }

    struct Remove: ContactsReading {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a contact from its file, folder or account.",
            discussion: """
                A contact of several cards is removed from all of its sources; --card removes one card. The command \
                asks first, because kith undo does not restore contacts. With --json, the answer has the vCards that \
                were removed.
                """)
        @Argument(help: "The contact: its name, a number, an email, or the start of its id.") var contact: String
        @OptionGroup var card: CardChoice
        @Flag(help: "Do not ask.") var yes = false
        @OptionGroup var region: RegionOption
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext, _ contacts: [Contact]) async throws -> CommandAnswer {
            let contact = try context.addressBook.contact(named: contact, among: contacts)
            let book = context.addressBook
            let cards = card.isNamed ? [try card.one(of: contact, context)] : contact.cards
            // All cards are read first. If one cannot be read, the command stops before it removes anything.
            var vCards: [VCard] = []
            for card in cards { vCards.append(try await book.vCard(of: card)) }
            let places = Set(cards.map { "“\(book.sourceName(of: $0))”" }).sorted().joined(separator: ", ")
            try context.console.confirm(
                "Remove “\(contact.displayName)” from \(places)? “kith undo” cannot restore it.".printable, given: yes)
            var removed: [Shape] = []
            var waiting = false
            for (card, vCard) in zip(cards, vCards) {
                do {
                    let isSent = try await book.remove(card, asRead: vCard)
                    waiting = waiting || !isSent
                    removed.append([
                        "source": card.source, "reference": card.reference.name, "sent": isSent,
                        "vcard": String(decoding: vCard.inBytes.bytes, as: UTF8.self),
                    ])
                } catch let error as KithError where !removed.isEmpty {
                    let place = book.sourceName(of: card)
                    throw Failure(
                        ExitStatus(error.code), error.code.rawValue,
                        "\(removed.count) of \(cards.count) cards were removed; the one in “\(place)” was not. "
                            + error.sentence)
                }
            }
            var sentence = "Removed “\(contact.displayName)” from \(places)."
            if waiting { sentence += " A server that cannot be reached now removes it later." }
            return CommandAnswer(["removed": removed], sentence)
        }
    }
}
