import ArgumentParser
import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel

extension ContactsCommand {
    struct Show: ContactsReading {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show all fields of a contact, and their sources.")
        @Argument(help: "The contact: its name, a number, an email, or the start of its id.") var contact: String
        @Flag(name: .customLong("vcard"), help: "Write its vCards instead, byte for byte as in their sources.")
        var vCard = false
        @Option(
            help: ArgumentHelp("Write its photo to this file too; - is standard output, alone.", valueName: "file"),
            completion: .file())
        var photo: String?
        @OptionGroup var region: RegionOption
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext, _ contacts: [Contact]) async throws -> CommandAnswer {
            let contact = try context.addressBook.contact(named: contact, among: contacts)
            let book = context.addressBook
            let picture = try await book.photo(of: contact)
            if let photo {
                guard let picture else {
                    throw Failure(.notFound, "noPhoto", "“\(contact.displayName)” has no photo.")
                }
                try book.checkIsNoSource(NamedFile(photo))
                if NamedFile(photo).isStandard { return CommandAnswer(content: Data(picture.bytes)) }
                try NamedFile(photo).write(Data(picture.bytes))
            }
            if vCard {
                var vCards: [VCard] = []
                for card in contact.cards { vCards.append(try await book.vCard(of: card)) }
                let export = try VCardExport(vCards, isOfOneFile: book.areOfOneFile(contact.cards))
                return CommandAnswer(content: export.data)
            }
            var service: [String] = []
            for account in contact.accounts {
                let person = try await context.client.network.contact(account)
                let standing = person?.standing ?? ""
                service.append(standing.isEmpty ? "to ask them: kith network connect \(account)" : standing)
            }
            return try await answer(contact, picture, service, context)
        }

        /// The whole card from its vCard; if that cannot be read now, the part that the address book has stored.
        private func jsContact(_ card: SourcedCard, _ book: AddressBook) async -> JSContact {
            if let vCard = try? await book.vCard(of: card) { JSContact(vCard) } else { JSContact(card.card) }
        }

        private func answer(
            _ contact: Contact, _ picture: ContactPhoto?, _ service: [String],
            _ context: CommandContext
        ) async throws -> CommandAnswer {
            let book = context.addressBook
            let page = ContactPage(contact) { book.phoneNumber($0.number) }
            var jsContacts: [JSContact] = []
            if options.json {
                for card in contact.cards { jsContacts.append(await jsContact(card, book)) }
            }
            let shape: Shape = [
                "contact": contact.shape, "numbers": contact.phones.map { book.phoneNumber($0.original).shape },
                "jscontact": jsContacts,
                "photo": picture.map { ["type": $0.mediaType, "bytes": $0.bytes.count] as Shape },
            ]
            return CommandAnswer(shape) { colour in
                var table = Table()
                for (line, cards) in page.lines {
                    // The sources are shown only if not all cards have the line.
                    let from =
                        cards.count == contact.cards.count
                        ? [] : cards.map { context.addressBook.sourceName(of: contact.cards[$0]) }
                    table.add([
                        Table.Cell(line.field, .faint), Table.Cell(line.value), Table.Cell(line.note, .faint),
                        Table.Cell(from.joined(separator: ", "), .faint),
                    ])
                }
                if let picture {
                    table.add([Table.Cell("Photo", .faint), Table.Cell(picture.words)])
                }
                for standing in service { table.add([Table.Cell("On Kith", .faint), Table.Cell(standing)]) }
                table.add([Table.Cell("Id", .faint), Table.Cell(contact.id.description, .faint)])
                for card in contact.cards {
                    table.add([
                        Table.Cell("Card", .faint), Table.Cell(context.addressBook.sourceName(of: card)),
                        Table.Cell(card.reference.name, .faint),
                    ])
                }
                let name = TextStyle.strong.applied(to: contact.displayName.printable, colour: colour)
                return [name] + table.lines(colour: colour, width: context.console.width)
            }
        }
    }
}

extension ContactPhoto {
    /// “image/jpeg, 812 bytes”
    fileprivate var words: String {
        ([mediaType].compactMap(\.self) + [bytes.count.things("byte")]).joined(separator: ", ")
    }
}

extension PhoneNumber {
    /// All details of the number.
    fileprivate var shape: Shape {
        [
            "original": original, "e164": e164?.text, "extension": self.extension, "national": national,
            "international": international, "kind": kind.rawValue, "valid": isValid,
        ]
    }
}
