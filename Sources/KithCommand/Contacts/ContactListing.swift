import Kith
import KithAddressBook
import KithCards
import KithModel

/// Contacts in a listing.
struct ContactListing: Sendable {
    let contacts: [Contact]
    let total: Int
    let ids: ShortIDs<Contact.ID>
    let hasSections: Bool
    let emptySentence: String

    /// Some of `total` contacts that were found among `all`. With sections, each first letter is printed above its
    /// contacts.
    init(
        _ contacts: [Contact], of total: Int, among all: [Contact], hasSections: Bool = false,
        emptySentence: String = "No contacts here yet. Name what has some: kith contacts add-source CONTACTS.vcf"
    ) {
        self.contacts = contacts
        self.total = total
        // The short ids also differ from those of contacts that are not shown, because users paste them into the next
        // command.
        ids = ShortIDs(all.map(\.id))
        self.hasSections = hasSections
        self.emptySentence = emptySentence
    }

    /// `{"contacts": […], "total": count}`, and a table.
    func answer() -> CommandAnswer {
        CommandAnswer(["contacts": contacts.map(\.shape), "total": total]) { colour in
            if contacts.isEmpty { return [emptySentence.printable] }
            var table = Table(header: ["Name", "Phone", "Email", "Cards", "Id"])
            var section: String?
            for contact in contacts {
                if hasSections && contact.sectionTitle != section {
                    section = contact.sectionTitle
                    table.add([Table.Cell(contact.sectionTitle, .strong)])
                }
                table.add(contact.row(id: ids[contact.id]))
            }
            let hidden = total - contacts.count
            return table.lines(colour: colour) + (hidden > 0 ? ["… and \(hidden) more."] : [])
        }
    }
}

extension Contact {
    /// The contact for `--json`.
    var shape: Shape {
        [
            "id": id, "name": displayName, "section": sectionTitle, "organization": organization,
            "phones": phones.map { phone in
                [
                    "number": phone.number?.text, "extension": phone.extension, "original": phone.original,
                    "label": phone.label,
                ]
            },
            "emails": emails.map { ["address": $0.address?.text, "original": $0.original, "label": $0.label] },
            "cards": cards.map(\.shape), "photo": hasPhoto,
        ]
    }

    fileprivate func row(id: String) -> [Table.Cell] {
        [
            Table.Cell(displayName), Table.Cell(phones.first?.shown ?? ""),
            Table.Cell(emails.first?.original ?? ""), cards.count > 1 ? .number(cards.count) : "",
            Table.Cell(id, .faint),
        ]
    }

    /// A short description that distinguishes it from another of the same name.
    var distinction: String? {
        phones.first?.shown ?? emails.first?.original ?? organization
    }
}

extension ContactPhone {
    /// The number with its extension, or else the text on the card.
    var shown: String { number.map { $0.text + (self.extension.map { " ext. \($0)" } ?? "") } ?? original }
}

extension SourcedCard {
    /// Where the card is, for `--json`.
    fileprivate var shape: Shape { ["source": source, "reference": reference.name, "uid": card.uid] }
}
