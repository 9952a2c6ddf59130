import Kith
import KithCards

/// A card as an account takes it: of version 3.0 or later, in UTF-8, and with a uid (RFC 6352, section 5.1).
struct AccountCard {
    let vCard: VCard
    let likeness: CardLikeness

    /// Every byte of the card stays as it was, but for what is missing, an END too, or in another charset. One of version
    /// 2.1, which servers refuse, is rewritten.
    ///
    /// A uid that is missing is made of what the card says: so the same card is the same one when it is added again, or
    /// from another device.
    ///
    /// - Throws: ``KithError`` with `invalid` if the card is not in UTF-8 and cannot be written so.
    init(_ card: VCard) throws {
        guard var vCard = (card.version == .v2_1 ? VCard(card, version: .v3_0) : card).inUTF8 else {
            throw KithError(
                .invalid, "It is not in UTF-8, which accounts want, and has bytes that mean nothing in its charset.")
        }
        let uid = Card(vCard).uid.flatMap { $0.isEmpty ? nil : $0 } ?? "urn:uuid:\(CardKey.uuid(of: vCard))"
        if Card(vCard).uid != uid {
            if let index = vCard.properties.firstIndex(where: { $0.knownName == .uid }) {
                vCard.setValue(.plain(uid), at: index)
            } else {
                vCard.append("UID", .plain(uid))
            }
        }
        self.vCard = vCard
        likeness = CardLikeness(vCard)
    }
}
