extension VCard {
    /// Edits the vCard to match `card`. Every byte that needs no change stays as written.
    ///
    /// Entries are identified by their ids. Read the card with ``Card/init(_:)-(VCard)``, change it, and apply it.
    /// Removed entries are deleted from the vCard, and new entries are inserted after the entry before them. The other
    /// entries keep their order; ``Card/Email/pref`` says which comes first.
    ///
    /// Not every version can express every part of a card:
    /// - ``Card/Resource/Content/embedded(size:digest:)`` from another vCard is not copied.
    /// - Versions 2.1 and 3.0 have no preference except the first, no order of the parts of a name or an address, no
    ///   ids, and no phonetic system or script. Second surnames become surnames, generations become credentials, and
    ///   all parts of a street become its name.
    /// - Without a phonetic system or script, only one part of each kind keeps its pronunciation.
    /// - Only the first birth and the first death have a place. Other days have none.
    /// - Version 2.1 has one value per kind of part; several are joined by commas, and those of an address by blanks.
    /// - A moment at midnight in its zone is read again as a date, and a `data:` URI as embedded.
    /// - ``Card/keywords`` and ``Card/members`` are sets: their order is that of the vCard.
    public mutating func apply(_ card: Card) {
        let reading = CardBuilder(of: self)
        let card = card.ungrouped.ordered(as: reading.card)
        // A vCard that already matches keeps even its empty properties.
        guard card != reading.card else { return }
        CardPatch(of: self, reading, to: card, .patch).edits.perform(on: &self)
        // A program's own property can express less than the standard one. Then the standard one replaces it.
        let patched = CardBuilder(of: self)
        let aligned = card.aligned(with: patched.card)
        guard patched.card != aligned else { return }
        CardPatch(of: self, patched, to: aligned, .rewrite).edits.perform(on: &self)
    }

    /// A new vCard for `card`, as far as the version can express it; ``apply(_:)`` lists the limits.
    public init(_ card: Card, version: Version = .v4_0) {
        self.init(card, version: version, beside: [])
    }

    /// The decoded bytes of an embedded resource from the card of this vCard; nil if this vCard does not contain it, or
    /// if it cannot be decoded.
    public func data(of resource: Card.Resource) -> [UInt8]? {
        guard case .embedded(let size, let digest) = resource.content else { return nil }
        for property in properties where property.isEmbedded {
            let embedded = EmbeddedDigest(property.writtenValue)
            if embedded.size == size, embedded.digest == digest { return property.data }
        }
        return nil
    }
}
