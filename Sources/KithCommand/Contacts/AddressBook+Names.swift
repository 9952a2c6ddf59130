import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel

/// Finds the contact or the source that a user names.
extension AddressBook {
    /// The contact that `text` names: by its id; by an email or a number; by its name, where the closest match wins as with
    /// every ``Reference``; or by the start of any of these.
    ///
    /// The beginnings of names match as in the suggestions of the address book: “lukasz” matches Łukasz, and “yamada”
    /// matches 山田.
    func contact(named text: String, among all: [Contact]) throws -> Contact {
        let fitting = fitting(text, among: all)
        if fitting.count == 1 { return fitting[0] }
        if fitting.isEmpty, case let likely = search(text, limit: Self.mostSuggested), !likely.isEmpty {
            // No name matches, but the search also finds names that sound alike, and other fields.
            throw Failure.notFound(
                "There is no contact “\(text)”. Did you mean:", candidates: likely.map(\.displayName))
        }
        throw Reference(text).failure(fitting.map(\.nameable), among: all.map(\.nameable), kind: "contact")
    }

    private static let mostSuggested = 5

    private func fitting(_ text: String, among all: [Contact]) -> [Contact] {
        if let exact = contact(Contact.ID(rawValue: text)) { return [exact] }
        if contact(withPhone: text) != nil || contact(withEmail: text) != nil {
            let (number, address) = (phoneNumber(text).e164, EmailAddress(text))
            let reached = all.filter { contact in
                (number != nil && contact.phones.contains { $0.number == number })
                    || (address != nil && contact.emails.contains { $0.address == address })
            }
            if !reached.isEmpty { return reached }
        }
        let begun = suggestions(for: text, limit: max(all.count, 1))
        let closest = Set(Reference(text).fitting(among: begun.map(\.nameable)).map(\.id))
        if !begun.isEmpty { return closest.isEmpty ? begun : begun.filter { closest.contains($0.id) } }
        // The suggestions know only letters and digits, and no ids.
        let others = Set(Reference(text).fitting(among: all.map(\.nameable)).map(\.id))
        return all.filter { others.contains($0.id) }
    }

    /// The contacts that `texts` name, each once.
    func distinctContacts(named texts: [String], among all: [Contact]) throws -> [Contact] {
        var found: [Contact] = []
        for text in texts {
            let contact = try contact(named: text, among: all)
            if !found.contains(where: { $0.id == contact.id }) { found.append(contact) }
        }
        return found
    }

    /// The source that `text` names: its name, its number in “kith contacts sources”, or the start of its id.
    func source(named text: String) throws -> SourceStatus {
        try Reference(text).find(in: sources, kind: "source") {
            Nameable(id: $1.id, name: $1.name, number: $0 + 1)
        }
    }

    /// Checks that a file to write is no source, and does not become one of the files of a source.
    ///
    /// Files are compared as the system knows them, so that neither a link nor another spelling of the path leads to a source.
    ///
    /// - Throws: ``Failure`` that names the source.
    func checkIsNoSource(_ file: NamedFile) throws {
        guard let place = file.place else { return }
        func identity(_ path: String) -> FileStatus.Identity? { try? FileStatus(at: path).identity }
        let target = identity(place.path(percentEncoded: false))
        let folder =
            VCardFolder.holdsCards(place.lastPathComponent)
            ? identity(place.deletingLastPathComponent().path(percentEncoded: false)) : nil
        for source in sources {
            switch source.location {
            case .vCardFile(let url):
                if let target, identity(url.path(percentEncoded: false)) == target {
                    throw Failure.usage(
                        "\(file.name) is your source “\(source.name)”, which this would replace. Name another file.")
                }
            case .folder(let url):
                if let folder, identity(url.path(percentEncoded: false)) == folder {
                    throw Failure.usage(
                        "\(file.name) is in the folder of your source “\(source.name)”, which would read it. Name a file "
                            + "in another folder.")
                }
            case .cardDAV, .device, nil: continue
            }
        }
    }

    /// The name of a card's source; its id if the source is gone.
    func sourceName(of card: SourcedCard) -> String {
        sources.first { $0.id == card.source }?.name ?? card.source.rawValue
    }
}

extension Contact {
    fileprivate var nameable: Nameable<ID> {
        let others = cards.flatMap { sourced in
            let name = sourced.card.name
            let turned = [name[.surname], name[.given]].compactMap(\.self).joined(separator: " ")
            return [turned] + sourced.card.nicknames.map(\.name)
        }
        return Nameable(
            id: id, name: displayName, otherNames: others.filter { !$0.isEmpty }, distinction: distinction)
    }
}
