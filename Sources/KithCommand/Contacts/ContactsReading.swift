public import ArgumentParser
import Foundation
import Kith
public import KithModel

/// A command about contacts that are loaded: it loads them, says what could not be, and answers.
protocol ContactsReading: ClientCommand {
    var region: RegionOption { get }

    /// Does what the command is for. `contacts` are all there are, in their order.
    func answer(_ desk: Desk, _ contacts: [AddressBook.Contact]) async throws -> Answer
}

extension ContactsReading {
    func answer(_ desk: Desk) async throws -> Answer {
        try await region.remember(desk)
        return try await answer(desk, try await desk.loadContacts())
    }
}

/// Where numbers are dialled that are written without their country's code.
struct RegionOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where numbers without a country's code are dialled, such as AT. It is remembered.", valueName: "region"))
    var region: Region?

    /// Makes it the address book's, if one was named.
    func remember(_ desk: Desk) async throws {
        if let region { try await desk.addressBook.setRegion(region) }
    }
}

extension Region: ExpressibleByArgument {
    /// The region of two letters.
    public init?(argument: String) { self.init(argument) }
}

extension Desk {
    var addressBook: AddressBook { client.addressBook }

    /// All contacts, once their sources have been read. Sources that cannot be are named on standard error, and what
    /// they had before is among the contacts.
    func loadContacts() async throws -> [AddressBook.Contact] {
        let book = addressBook
        let contacts = try await console.progress(book.loading) { try await book.loaded() }
        for source in book.sources {
            if let error = source.error { console.note("\(source.name): \(error.sentence)".printable) }
        }
        return contacts
    }
}

extension AddressBook {
    /// What is being read just now, in a few words.
    var loading: String {
        for source in sources {
            guard case .loading(let done, let total) = source.state, done > 0 else { continue }
            return "Reading \(source.name)" + (total.map { ", \(100 * done / max($0, 1)) %" } ?? "")
        }
        return "Reading the contacts"
    }
}
