extension VCard {
    /// Changes the vCard so that it says `card`, and leaves every byte that says the same already.
    ///
    /// The entries are told apart by their ids: ``Card/init(_:)-(VCard)`` gives
    /// them, and `card` is what the app has made of that. Entries that are gone
    /// are taken out, new ones are put behind those before them. Entries that stay
    /// also keep their order: ``Card/Email/pref`` says which comes first.
    ///
    /// Not every version can say everything of a card:
    /// - ``Card/Resource/Content/embedded(size:digest:)`` of another vCard stays there.
    /// - Versions 2.1 and 3.0 know no preference but the first, no order of a
    ///   name's or an address' parts, no ids, and not how sounds are written;
    ///   second surnames are surnames, generations are credentials, and all
    ///   parts of a street are its name. Where no system or script is told, one
    ///   part of each kind has a sound.
    /// - Of several births the first has a place, and so of deaths; other days have none.
    /// - Version 2.1 has one value for each kind of part: commas join several.
    /// - A moment that begins a day of UTC is read as the day, a `data:` URI as embedded.
    /// - ``Card/keywords`` and ``Card/members`` are sets: their order is the vCard's.
    public mutating func apply(_ card: Card) {
        let reading = CardBuilder(of: self)
        let card = card.ungrouped.ordered(as: reading.card)
        // Properties that say nothing stay as long as nothing is said in their place.
        guard card != reading.card else { return }
        CardPatch(of: self, reading, to: card, .patch).edits.perform(on: &self)
        // A property of a program's own can say less than another one: then that is written in its place.
        let patched = CardBuilder(of: self)
        let aligned = card.aligned(with: patched.card)
        guard patched.card != aligned else { return }
        CardPatch(of: self, patched, to: aligned, .rewrite).edits.perform(on: &self)
    }

    /// A new vCard that says `card`, as far as its version can: ``apply(_:)`` says how far.
    public init(_ card: Card, version: Version = .v4_0) {
        self.init(card, version: version, beside: [])
    }

    /// The bytes of something embedded in this vCard, which the card that was read from it has; nil if this vCard
    /// lacks it or it cannot be decoded.
    public func data(of resource: Card.Resource) -> [UInt8]? {
        guard case .embedded(let size, let digest) = resource.content else { return nil }
        for property in properties where property.isEmbedded {
            let embedded = EmbeddedDigest(property.writtenValue)
            if embedded.size == size, embedded.digest == digest { return property.data }
        }
        return nil
    }
}
