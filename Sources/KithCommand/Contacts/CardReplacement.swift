import KithCards

/// A vCard from a file that takes the place of a stored card.
struct CardReplacement {
    let vCard: VCard

    /// Keeps every byte of the file's card. The exceptions: a missing uid is that of the stored card; and text in another
    /// charset is converted to UTF-8, and version 2.1 to a later one, if that is what the stored card has.
    ///
    /// - Throws: ``Failure`` if the file has the card of somebody else, or its text cannot be converted.
    init(_ card: VCard, of stored: VCard) throws(Failure) {
        var card = card.version == .v2_1 && stored.version != .v2_1 ? VCard(card, version: stored.version) : card
        if String(validating: stored.bytes, as: UTF8.self) != nil {
            guard let converted = card.inUTF8 else {
                throw Failure(
                    .faults, "faults", "The card is not in UTF-8, and has bytes that mean nothing in its charset.")
            }
            card = converted
        }
        if let uid = Card(stored).uid, !uid.isEmpty {
            switch Card(card).uid ?? "" {
            case uid: break
            case "": card.setUID(uid)
            case let other:
                throw Failure(
                    .refused, "otherCard",
                    "The file has the card of somebody else: its UID is “\(other)”, not “\(uid)”. "
                        + "To add it: kith contacts import")
            }
        }
        vCard = card
    }

    /// Checks that no program has written the stored card after the file's, as far as REV tells.
    ///
    /// - Throws: ``Failure`` if REV is later in the stored card.
    func checkTime(against stored: VCard) throws(Failure) {
        guard let read = Card(vCard).updated, let now = Card(stored).updated, now > read else { return }
        throw Failure(
            .refused, "conflict",
            "Another program has changed the card since the file was written (REV is \(now)). Nothing was saved. Edit the "
                + "card again, or give what the file was before the edit: --original FILE")
    }
}
