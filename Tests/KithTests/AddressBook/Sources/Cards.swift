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
