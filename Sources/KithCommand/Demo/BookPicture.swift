import Kith
import KithAddressBook
import KithModel

/// What an address book shows, without the names that it gives to contacts and sources: two books of the same files
/// are the same picture.
package struct BookPicture: Hashable, Sendable {
    /// What is shown of each contact, by the cards that it is made of.
    private let contacts: [String: [String]]
    private let cards: Int

    /// - Parameter contacts: The lines shown of each contact, by its cards.
    package init(_ contacts: [[String]: [String]]) {
        self.contacts = Dictionary(
            uniqueKeysWithValues: contacts.map { ($0.key.sorted().joined(separator: " + "), $0.value) })
        cards = contacts.keys.reduce(0) { $0 + $1.count }
    }

    init(_ contacts: [AddressBook.Contact], _ sources: [AddressBook.SourceStatus]) {
        let names = Dictionary(sources.map { ($0.id, $0.name) }) { first, _ in first }
        self.init(
            Dictionary(
                contacts.map { contact in
                    (
                        contact.cards.map { "\(names[$0.source] ?? "?")/\($0.reference.name)" },
                        [contact.displayName, contact.sectionTitle]
                            + contact.phones.map { $0.number?.text ?? $0.original }
                            + contact.emails.map(\.original)
                    )
                }
            ) { first, _ in first })
    }

    /// What is not the same, a line each; empty if all is.
    package func differences(from other: BookPicture) -> [String] {
        Set(contacts.keys).union(other.contacts.keys).sorted().compactMap { key in
            let (here, there) = (contacts[key], other.contacts[key])
            if here == there { return nil }
            return
                "\(key): \(here?.joined(separator: ", ") ?? "nothing") / \(there?.joined(separator: ", ") ?? "nothing")"
        }
    }

    /// What the story ends with.
    ///
    /// - Throws: ``Failure`` with what differs, unless the two are the same.
    package func verdict(besides fresh: BookPicture) throws -> String {
        let differences = differences(from: fresh)
        if !differences.isEmpty {
            throw Failure(
                .failed, "demo", "What is shown is not what a fresh start shows:",
                candidates: Array(differences.prefix(40)))
        }
        return "\(contacts.count) of \(fresh.contacts.count) contacts, of \(cards) cards, are equal to a fresh start: "
            + "names, numbers, emails, and which cards are one contact"
    }
}
