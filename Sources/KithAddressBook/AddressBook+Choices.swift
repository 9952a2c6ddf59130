import Kith
import KithCards
import Synchronization

extension AddressBook {
    // MARK: Linking

    /// Shows these contacts as one from now on, whatever their cards say. It is kept.
    ///
    /// - Throws: ``KithError``: `notFound`; `invalid` for a group and a person; `tooMany` for more than a hundred cards.
    public func link(_ ids: [Contact.ID]) async throws {
        var cards: [FiledCard] = []
        for filed in try ids.flatMap({ try known($0).filed }) where !cards.contains(filed) { cards.append(filed) }
        guard Set(cards.map { $0.card.kind == .group }).count <= 1 else {
            throw KithError(
                .invalid, "A group cannot be one contact with somebody who is none. Link people with people.")
        }
        try await keep(LinkDecisions.link(try few(cards)))
    }

    /// Shows a contact's cards apart from now on, whatever they have in common. It is kept.
    ///
    /// - Parameters:
    ///   - id: The contact.
    ///   - card: The card to be taken out, while the others stay together; nil to part them all.
    /// - Throws: ``KithError``: `notFound`; `tooMany` for more than a hundred cards.
    public func unlink(_ id: Contact.ID, card: SourcedCard? = nil) async throws {
        let cards = try few(try known(id).filed)
        guard let card else { return try await keep(LinkDecisions.part(cards)) }
        guard cards.contains(card.id) else {
            throw KithError(.notFound, "That card is not one of the contact's. It may have changed: look again.")
        }
        try await keep(LinkDecisions.part(card.id, from: cards))
    }

    private func known(_ id: Contact.ID) throws -> Contact {
        if let contact = contact(id) { return contact }
        throw KithError(.notFound, "There is no contact “\(id)”. It may have been removed, or not be loaded yet.")
    }

    private func few(_ cards: [FiledCard]) throws -> [Contact.ID] {
        guard cards.count <= LinkDecisions.mostCards else {
            throw KithError(
                .tooMany,
                "One decision covers at most \(LinkDecisions.mostCards) cards; these are \(cards.count). Name fewer.")
        }
        return cards.map(\.id)
    }

    /// Keeps what was said, and returns when it is shown.
    private func keep(_ decisions: [LinkDecisions.Decision]) async throws {
        try await turn.withLock {
            try await store.keep(decisions)
            state.withLock { $0.decisions.take(decisions) }
        }
        await arranged()
    }

    // MARK: Order

    /// What contacts are sorted by.
    public var nameOrder: NameOrder { state.withLock(\.order) }

    /// Sorts the contacts by another part of their names. It is kept, and done when this returns.
    ///
    /// - Throws: ``KithError`` if it cannot be kept: `diskFull`, `database`.
    public func setNameOrder(_ order: NameOrder) async throws {
        try await turn.withLock {
            try await store.set(.nameOrder, order.rawValue)
            state.withLock { $0.order = order }
        }
        await arranged()
    }

    /// Returns when what is shown is arranged by what was said before.
    func arranged() async {
        note(.arranged)
        await answered(\.arrangement)
    }
}
