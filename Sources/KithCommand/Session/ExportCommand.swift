import ArgumentParser
import Foundation
import Kith
import KithAddressBook
import KithCards
import KithDiscovery
import KithModel

extension SessionCommand {
    /// `kith session export`: writes all data of the account to one archive.
    struct Export: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write all data of the account to one ZIP archive.",
            discussion: """
                The archive contains your records as JSON, your lists as iCalendar, your network and your address book as \
                vCards, and a README.txt that describes the files. With --offline, or if the server cannot be reached, the \
                sessions, the numbers and emails, and the links of lists are missing, and the exit code is 7.
                """)
        @Argument(
            help: "The archive. An existing file is replaced. Only you can read it.",
            completion: .file(extensions: ["zip"]))
        var file: String
        @OptionGroup var region: RegionOption
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            if context.place.server != nil, !context.isOffline {
                // If this fails, the archive contains what earlier rounds have received.
                try? await within(CommandContext.answerTimeout) { try await context.client.syncNow() }
            }
            let url = URL(filePath: (file as NSString).expandingTildeInPath)
            let (people, cards) = try await (network(context), addressBook(context))
            let export = try await context.console.progress("Exporting") {
                try await context.client.export(
                    to: url, adding: people.files + cards.files + [try await settings(context)])
            }
            if let reason = export.missingReason {
                context.console.note(
                    "Sessions, numbers and emails, and the links of lists are missing. \(reason)".printable)
            }
            let shape: Shape = [
                "file": file, "lists": export.lists, "records": export.records, "people": people.count,
                "cards": cards.count, "complete": export.missingReason == nil,
            ]
            return CommandAnswer(
                shape, status: export.missingReason == nil ? .done : .faults,
                """
                Wrote \(export.lists.things("list")), \(people.count.things("connection")) and \
                \(cards.count.things("card")) to \(file).
                """)
        }

        /// The people of the network as vCards, as far as this device knows them.
        private func network(_ context: CommandContext) async throws -> (files: [ExportFile], count: Int) {
            let people = try await context.client.network.contacts()
            var cards: [VCard] = []
            for person in people {
                let details = try? await context.client.network.details(of: person.id)
                cards.append(VCard(Card(person, details?.profile), version: .v4_0))
            }
            return try Self.file("contacts/network.vcf", cards)
        }

        /// The cards of the address book, byte for byte as in their sources.
        private func addressBook(_ context: CommandContext) async throws -> (files: [ExportFile], count: Int) {
            guard !context.addressBook.sources.isEmpty else { return ([], 0) }
            try await region.remember(context)
            var cards: [VCard] = []
            for card in try await context.loadContacts().flatMap(\.cards) {
                cards.append(try await context.addressBook.vCard(of: card))
            }
            return try Self.file("contacts/address-book.vcf", cards)
        }

        private static func file(_ path: String, _ cards: [VCard]) throws -> (files: [ExportFile], count: Int) {
            if cards.isEmpty { return ([], 0) }
            let data = try VCardExport(cards, isOfOneSource: false).data
            return ([ExportFile(path: path, data: data)], cards.count)
        }

        /// The settings of this device for the account.
        private func settings(_ context: CommandContext) async throws -> ExportFile {
            let discovery = try await context.client.discovery.status()
            let shape: Shape = [
                "autoConnect": discovery.connectsAutomatically, "autoLook": discovery.isEnabled,
                "region": context.addressBook.region?.code,
            ]
            return ExportFile(path: "settings.json", data: Data((try shape.line() + "\n").utf8))
        }
    }
}

extension Card {
    /// The card of a person of the network: what they show, as far as this device knows it.
    fileprivate init(_ person: NetworkContact, _ details: Profile?) {
        self.init()
        uid = "urn:uuid:\(person.id)"
        name.components = [
            person.title.map { .init(.title, $0) }, person.given.map { .init(.given, $0) },
            person.family.map { .init(.surname, $0) },
        ].compactMap(\.self)
        name.full = person.fullName ?? person.id.description
        nicknames = person.nick.map { [Nickname(id: "1", name: $0)] } ?? []
        titles = person.jobTitle.map { [Title(id: "1", kind: .title, name: $0)] } ?? []
        organizations = person.company.map { [Organization(id: "1", name: $0)] } ?? []
        for (index, email) in (details?.emails ?? []).enumerated() {
            emails.append(Email(id: "\(index + 1)", address: email.value))
        }
        for (index, phone) in (details?.phones ?? []).enumerated() {
            phones.append(Phone(id: "\(index + 1)", number: phone.value))
        }
    }
}
