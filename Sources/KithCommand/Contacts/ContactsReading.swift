import ArgumentParser
import Foundation
import Kith
import KithAddressBook
import KithModel

/// A command that reads contacts: it loads them, reports sources that could not be read, and answers.
protocol ContactsReading: ClientCommand {
    var region: RegionOption { get }

    /// Runs the command. `contacts` are all contacts, in order.
    func answer(_ context: CommandContext, _ contacts: [Contact]) async throws -> CommandAnswer
}

extension ContactsReading {
    func answer(_ context: CommandContext) async throws -> CommandAnswer {
        try await region.remember(context)
        return try await answer(context, try await context.addressBook.loadContacts(noting: context.console))
    }
}

extension AddressBook {
    /// All contacts, after their sources were read. Sources that cannot be read are reported on standard error, and
    /// their earlier contacts are included. The wait for an account that does not answer is limited to
    /// ``CommandContext/answerTimeout``.
    func loadContacts(noting console: Console) async throws -> [Contact] {
        let contacts = try await console.progress(self.loading) {
            while true {
                do {
                    return try await within(CommandContext.answerTimeout) { try await self.loaded() }
                } catch is TookTooLong {
                    let awaited = sources.filter(\.isLoading)
                    if let contacts = self.contacts, awaited.allSatisfy(\.isUnanswered) { return contacts }
                }
            }
        }
        for failure in sources.failures { console.note(failure.printable) }
        if region == nil, contacts.contains(where: { $0.phones.contains { $0.number == nil } }) {
            console.note(
                "Some numbers have no country's code. Say once where they are dialled: kith contacts --region AT")
        }
        return contacts
    }

    /// The same, but no contacts if no source can be read. The sources are reported in the same way.
    func readableContacts(noting console: Console) async throws -> [Contact] {
        do {
            return try await loadContacts(noting: console)
        } catch is KithError where sources.contains(where: { $0.error != nil }) {
            for failure in sources.failures { console.note(failure.printable) }
            return []
        }
    }
}

extension [SourceStatus] {
    /// A sentence about each that could not be read, or has not answered yet.
    fileprivate var failures: [String] {
        compactMap { source in
            if let error = source.error { return "\(source.name): \(error.sentence)" }
            guard source.isLoading else { return nil }
            return "\(source.name) has not answered yet. Its contacts are shown as they were last read."
        }
    }

    /// Those of which an export lacks cards, or has them as they were last read.
    var unread: [SourceStatus] { filter { $0.error != nil || $0.isLoading || $0.unreadableFiles > 0 } }

    /// The sentence that an export lacks cards of these sources.
    var lack: String {
        let names = map { "“\($0.name)”" }.joined(separator: ", ")
        return "Cards of \(names) are missing, or are as they were last read. To see why: kith contacts sources"
    }
}

extension [Contact] {
    /// The names of contacts that share a number or an email, each once; nil if there is none.
    var sharedName: String? {
        var seen: Set<String> = []
        let names = map(\.displayName).filter { seen.insert($0).inserted }
        return names.isEmpty ? nil : names.joined(separator: " / ")
    }

    /// The ids and names of contacts that share a number or an email.
    var holderShapes: [Shape] { map { ["contact": $0.id, "name": $0.displayName] } }
}

extension SourceStatus {
    fileprivate var isLoading: Bool { if case .loading = state { true } else { false } }

    /// Whether it is a CardDAV account that has not answered yet.
    fileprivate var isUnanswered: Bool {
        guard case .loading(done: 0, _) = state, case .cardDAV = location else { return false }
        return true
    }
}

extension AddressBook {
    /// Whether the cards come from one vCard file. The cards of a folder or an account come from many.
    func areOfOneFile(_ cards: [SourcedCard]) -> Bool {
        let ids = Set(cards.map(\.source))
        guard ids.count == 1, let source = sources.first(where: { ids.contains($0.id) }) else { return false }
        return if case .vCardFile = source.location { true } else { false }
    }

    /// What is being loaded, in a few words.
    var loading: String {
        for source in sources {
            guard case .loading(let done, let total) = source.state, done != total else { continue }
            guard let total, total > 0 else { return "Reading \(source.name)" }
            return "Reading \(source.name), \(100 * done / total) %"
        }
        return "Reading the contacts"
    }
}
