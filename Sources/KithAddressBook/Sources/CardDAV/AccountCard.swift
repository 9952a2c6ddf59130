import Kith
import KithCards

/// A card in the form that a CardDAV server accepts: version 3.0 or later, in UTF-8, with a uid (RFC 6352, section
/// 5.1) and a full name.
struct AccountCard {
    let vCard: VCard
    let similarity: CardSimilarity

    /// Keeps every byte of the card. The exceptions: what is missing is added (a uid, an `FN`, an `END`), text in another
    /// charset is converted to UTF-8, `BEGIN:vCard` is written in capitals because Xandikos refuses it otherwise, a
    /// semicolon within a name or an address and a comma within a text get their missing backslashes because Radicale
    /// drops what follows them, and a card of version 2.1, which servers refuse, is rewritten as 3.0.
    ///
    /// A missing uid is derived from the card's content. The same card therefore gets the same uid when it is added
    /// again, or from another device.
    ///
    /// - Throws: ``KithError`` with `refused` if the card is not in UTF-8 and cannot be converted.
    init(_ card: VCard) throws {
        guard var vCard = (card.version == .v2_1 ? VCard(card, version: .v3_0) : card).inUTF8 else {
            throw KithError(
                .refused, "It is not in UTF-8, which accounts want, and has bytes that mean nothing in its charset.")
        }
        let uid = Card(vCard).uid.flatMap { $0.isEmpty ? nil : $0 } ?? "urn:uuid:\(CardKey.uuid(of: vCard))"
        if Card(vCard).uid != uid { vCard.setUID(uid) }
        vCard = vCard.withFullName
        self.vCard = vCard.withEscapedTexts().inCapitals
        similarity = CardSimilarity(vCard)
    }
}
