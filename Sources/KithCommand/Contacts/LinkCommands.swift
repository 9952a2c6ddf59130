import ArgumentParser
import Kith
import KithAddressBook
import KithModel

/// Commands that link and separate cards of several sources.
extension ContactsCommand {
    struct Link: ContactsReading {
        static let configuration = CommandConfiguration(
            commandName: "link",
            abstract: "Show several contacts as one: they are the same person.",
            discussion: """
                Cards with the same uid, or with the same name and a number or an email in common, are linked by \
                themselves. What is linked here stays linked.
                """)
        @Argument(help: ArgumentHelp("The contacts, two or more.", valueName: "contact")) var contacts: [String]
        @OptionGroup var region: RegionOption
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if contacts.count < 2 { throw ValidationError("Name the contacts to link, two or more.") }
        }

        func answer(_ context: CommandContext, _ all: [Contact]) async throws -> CommandAnswer {
            let found = try context.addressBook.distinctContacts(named: contacts, among: all)
            guard found.count > 1, let first = found.first else {
                throw Failure.usage("These are one contact already: “\(found[0].displayName)”.")
            }
            try await context.addressBook.link(found.map(\.id))
            let linked = try await context.addressBook.loaded().first { contact in
                first.cards.allSatisfy { card in contact.cards.contains { $0.isSame(as: card) } }
            }
            return CommandAnswer(
                ["contact": (linked ?? first).shape],
                "“\((linked ?? first).displayName)” is now one contact of \((linked ?? first).cards.count) cards.")
        }
    }

    struct Unlink: ContactsReading {
        static let configuration = CommandConfiguration(
            commandName: "unlink",
            abstract: "Show the cards of a contact as separate contacts again.",
            discussion: "What is taken apart here stays apart, also if the same name and number are in both.")
        @Argument(help: "The contact: its name, a number, an email, or the start of its id.") var contact: String
        @OptionGroup var region: RegionOption
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext, _ all: [Contact]) async throws -> CommandAnswer {
            let contact = try context.addressBook.contact(named: contact, among: all)
            guard contact.cards.count > 1 else {
                throw Failure.usage("“\(contact.displayName)” is a single card; there is nothing to take apart.")
            }
            try await context.addressBook.unlink(contact.id)
            let apart = try await context.addressBook.loaded().filter { one in
                one.cards.contains { card in contact.cards.contains { $0.isSame(as: card) } }
            }
            return CommandAnswer(
                ["contacts": apart.map(\.shape)],
                "“\(contact.displayName)” is \(apart.count.things("contact")) now.")
        }
    }
}

extension SourcedCard {
    /// Whether it is the same card, regardless of its content.
    func isSame(as other: Self) -> Bool { source == other.source && reference == other.reference }
}
