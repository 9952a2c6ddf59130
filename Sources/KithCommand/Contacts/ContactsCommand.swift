import ArgumentParser
import Kith
import KithAddressBook
import KithModel

/// `kith contacts`: the address book of all sources, and its commands.
struct ContactsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contacts",
        abstract: "Show and find the contacts of vCard files, folders and CardDAV accounts.",
        discussion: """
            A CONTACT is its name or the start of it, first or family name first, a number, an email, or the start of \
            its id; a SOURCE its name or the start of its id. Nothing of the address book is sent to the server.
            """,
        groupedSubcommands: [
            CommandGroup(name: "Contacts", subcommands: [List.self, Search.self, Show.self, Watch.self]),
            CommandGroup(name: "Editing", subcommands: [Edit.self, Remove.self]),
            CommandGroup(name: "Where they come from", subcommands: [Sources.self, AddSource.self, RemoveSource.self]),
            CommandGroup(name: "Files", subcommands: [Import.self, Export.self]),
            CommandGroup(name: "The same person in several sources", subcommands: [Link.self, Unlink.self]),
        ],
        defaultSubcommand: List.self)
}

extension ContactsCommand {
    struct List: ContactsReading {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Show the contacts by their first letters. (Also: kith contacts)")
        @Option(help: ArgumentHelp("Show no more than this many.", valueName: "number")) var limit: Int?
        @OptionGroup var region: RegionOption
        @OptionGroup var options: GlobalOptions

        func validate() throws { try limit.map(validateLimit) }

        func answer(_ context: CommandContext, _ contacts: [Contact]) async throws -> CommandAnswer {
            let shown = limit.map { Array(contacts.prefix($0)) } ?? contacts
            return ContactListing(shown, of: contacts.count, among: contacts, hasSections: true).answer()
        }
    }

    struct Search: ContactsReading {
        static let configuration = CommandConfiguration(
            commandName: "search",
            abstract: "Find contacts by any of their fields.",
            discussion: """
                Every word must be somewhere in the contact: a name, as it is written or pronounced, a number in any \
                manner, an email, a company, an address, a note. Accents and case are of no account. Those whose \
                names begin so come first.
                """)
        @Argument(help: "What to look for.") var words: [String]
        @Flag(help: "Only numbers and names that begin with the text, as an app suggests them while the user types.")
        var typed = false
        @Option(help: ArgumentHelp("Show no more than this many.", valueName: "number")) var limit: Int?
        @OptionGroup var region: RegionOption
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            try limit.map(validateLimit)
            if words.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) { throw ValidationError("Name what to look for.") }
        }

        func answer(_ context: CommandContext, _ contacts: [Contact]) async throws -> CommandAnswer {
            let text = words.joined(separator: " ")
            let found =
                typed
                ? context.addressBook.suggestions(for: text, limit: limit ?? contacts.count)
                : context.addressBook.search(text)
            let shown = limit.map { Array(found.prefix($0)) } ?? found
            return ContactListing(
                shown, of: found.count, among: contacts, emptySentence: "No contact matches “\(text)”."
            ).answer()
        }
    }
}

private func validateLimit(_ limit: Int) throws {
    if limit < 1 { throw ValidationError("A limit is 1 or more.") }
}
