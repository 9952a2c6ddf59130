import Foundation
import Kith
import KithAddressBook
import KithCards
import Testing

/// A card as a plain program writes it.
func card(_ name: String, uid: String?, _ lines: String..., lineEnd: String = "\r\n") -> [UInt8] {
    let all =
        ["BEGIN:VCARD", "VERSION:3.0"] + (uid.map { ["UID:\($0)"] } ?? []) + ["FN:\(name)"] + lines + ["END:VCARD"]
    return Array(all.map { $0 + lineEnd }.joined().utf8)
}

extension SourceContents {
    /// The names, in the order of the alphabet: the order of sources differs.
    var names: [String] { entries.map { $0.card.name.full ?? "" }.sorted() }

    /// What the source calls the card of this name.
    func reference(_ name: String) throws -> CardReference {
        try #require(entries.first { $0.card.name.full == name }).reference
    }
}

extension AddressBookSource {
    /// What the source holds.
    func contents() async throws -> SourceContents { try await load(.unheard) }
}

extension VCard {
    /// The card with an edit of what it says.
    func with(_ edit: (inout Card) -> Void) -> VCard {
        var (card, edited) = (Card(self), self)
        edit(&card)
        edited.apply(card)
        return edited
    }

    /// Its bytes as text.
    var string: String { String(decoding: bytes, as: UTF8.self) }
}
