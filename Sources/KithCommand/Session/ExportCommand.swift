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
            commandName: "export",
            abstract: "Write all data of the account to one ZIP archive.",
            discussion: """
                The archive contains your records as JSON, your lists as iCalendar and as JSON, your network and your \
                address book as vCards, and a README.txt that describes the files. With --offline, or if the server cannot \
                be reached, the sessions, the ways to sign in, the links of lists, and what is new of people and of your \
                picture are missing, and the exit code is 7. It is also 7 if a source of contacts cannot be read.
                """)
        @Argument(
            help: "The archive. An existing file is replaced. Only you can read it.",
            completion: .file(extensions: ["zip"]))
        var file: String
        @OptionGroup var region: RegionOption
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if file == "-" {
                throw ValidationError("An archive is not written to standard output. Name a file, such as archive.zip.")
            }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let discovery = try await context.client.discovery.status()
            let client = try await syncedClient(context)
            let url = URL(filePath: file.expandingHome())
            let cards = try await addressBook(context)
            let files = cards.files + [try settings(discovery, context)]
            let export = try await context.console.progress("Exporting") {
                try await EndSignal.cancelling { try await client.export(to: url, adding: files) }
            }
            if let reason = export.missingReason {
                context.console.note(
                    "Something of the server is missing: sessions, ways to sign in, links, a picture, or details. \(reason)"
                        .printable)
            }
            if !cards.unread.isEmpty { context.console.note(cards.unread.lack.printable) }
            let isComplete = export.missingReason == nil && cards.unread.isEmpty
            let shape: Shape = [
                "file": file, "lists": export.lists, "records": export.records, "people": export.people,
                "cards": cards.count, "complete": isComplete, "unreadSources": cards.unread.map(\.name),
            ]
            return CommandAnswer(
                shape, status: isComplete ? .done : .faults,
                """
                Wrote \(export.lists.things("list")), \(export.people.things("connection")) and \
                \(cards.count.things("card")) to \(file).
                """)
        }

        /// The client of the account to export: the one that was shown before the attempt to sync. If the server does not accept
        /// its token, the round shows a new account, which has nothing of it.
        private func syncedClient(_ context: CommandContext) async throws -> KithClient {
            let shown = try await context.client.session.account()
            // If this fails, the archive contains what earlier rounds have received.
            if context.asksServer { await context.syncBriefly() }
            guard let shown, try await context.client.session.account() != shown,
                // If the server had nothing of the account, the new one has taken over its store.
                try await context.client.accounts.store(.account(shown)) != nil
            else { return context.client }
            context.console.note("The archive is that of \(shown.called), which is no longer shown.".printable)
            return try context.client(of: shown)
        }

        /// The cards of the address book, byte for byte as in their sources, and the sources that could not be read.
        private func addressBook(
            _ context: CommandContext
        ) async throws -> (files: [ExportFile], count: Int, unread: [SourceStatus]) {
            guard !context.addressBook.sources.isEmpty else { return ([], 0, []) }
            try await region.remember(context)
            var cards: [VCard] = []
            for card in try await context.addressBook.readableContacts(noting: context.console).flatMap(\.cards) {
                cards.append(try await context.addressBook.vCard(of: card))
            }
            let unread = context.addressBook.sources.unread
            if cards.isEmpty { return ([], 0, unread) }
            let data = try VCardExport(cards, isOfOneFile: false).data
            return ([ExportFile(path: "contacts/address-book.vcf", data: data)], cards.count, unread)
        }

        /// The settings of this device for the account.
        private func settings(_ discovery: Discovery.Status, _ context: CommandContext) throws -> ExportFile {
            let shape: Shape = [
                "autoConnect": discovery.connectsAutomatically, "autoLook": discovery.isEnabled,
                "region": context.addressBook.region?.code,
            ]
            return ExportFile(path: "settings.json", data: Data((try shape.line() + "\n").utf8))
        }
    }
}
