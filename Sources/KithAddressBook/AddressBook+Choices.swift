import Kith
import KithCards
import Synchronization

extension AddressBook {
    // MARK: Linking

    /// Shows these contacts as one, whatever their cards contain. The decision is stored.
    ///
    /// - Throws: `KithError`: `notFound`; `invalid` for a group and a person; `tooMany` for more than a hundred cards.
    public func link(_ ids: [Contact.ID]) async throws {
        var cards: [FiledCard] = []
        for filed in try ids.flatMap({ try known($0).filed }) where !cards.contains(filed) { cards.append(filed) }
        guard Set(cards.map { $0.card.kind == .group }).count <= 1 else {
            throw KithError(
                .invalid, "A group cannot be one contact with somebody who is none. Link people with people.")
        }
        try await keep(LinkDecisions.link(try few(cards)))
    }

    /// Shows a contact's cards as separate contacts, whatever they have in common. The decision is stored.
    ///
    /// - Parameters:
    ///   - id: The contact.
    ///   - card: The card to separate, while the others stay together; nil to separate all.
    /// - Throws: `KithError`: `notFound`; `tooMany` for more than a hundred cards.
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

    /// Stores a decision, and returns when it is shown.
    private func keep(_ decisions: [LinkDecisions.Decision]) async throws {
        try await turn.withLock {
            try await store.keep(decisions)
            state.withLock { $0.decisions.take(decisions) }
        }
        await arranged()
    }

    // MARK: Order

    /// The part of the name by which contacts are sorted.
    public var nameOrder: NameOrder { state.withLock(\.order) }

    /// Sorts the contacts by another part of their names. The choice is stored, and shows when this returns.
    ///
    /// - Throws: `KithError` if it cannot be stored: `diskFull`, `database`.
    public func setNameOrder(_ order: NameOrder) async throws {
        try await turn.withLock {
            try await store.set(.nameOrder, order.rawValue)
            state.withLock { $0.order = order }
        }
        await arranged()
    }

    /// Returns when the contacts are shown with all earlier decisions.
    func arranged() async {
        note(.arranged)
        await answered(\.arrangement)
    }
}
