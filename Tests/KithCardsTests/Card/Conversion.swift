import Foundation
import KithCards
import Testing

/// A way of a vCard into another form and back into its own version.
enum Conversion: CaseIterable, CustomTestStringConvertible {
    /// Written again in its own version.
    case again
    /// Into JSContact, with its photos, through JSON.
    case jsContact
    /// Into another version.
    case through2, through3, through4

    func there(_ vCard: VCard) throws -> VCard {
        switch self {
        case .again: return VCard(vCard, version: vCard.version)
        case .jsContact:
            let data = try JSONEncoder().encode(JSContact(vCard, embedding: true))
            return VCard(try JSONDecoder().decode(JSContact.self, from: data), version: vCard.version)
        case .through2: return VCard(vCard, version: .v2_1)
        case .through3: return VCard(vCard, version: .v3_0)
        case .through4: return VCard(vCard, version: .v4_0)
        }
    }

    /// The vCard after the way there and back; nil where there is no other version on it.
    func thereAndBack(_ vCard: VCard) throws -> VCard? {
        let there = try there(vCard)
        switch self {
        case .again, .jsContact: return there
        case .through2, .through3, .through4:
            return there.version == vCard.version ? nil : VCard(there, version: vCard.version)
        }
    }

    var testDescription: String {
        switch self {
        case .again: "written again"
        case .jsContact: "as JSContact"
        case .through2: "through version 2.1"
        case .through3: "through version 3.0"
        case .through4: "through version 4.0"
        }
    }
}
