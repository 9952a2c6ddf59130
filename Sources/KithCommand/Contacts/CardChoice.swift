import ArgumentParser
import KithAddressBook

/// Selects a card of a contact.
struct CardChoice: ParsableArguments {
    @Option(
        name: .customLong("card"),
        help: ArgumentHelp(
            "Which card, if the contact has several: its source, or its reference in “kith contacts show”.",
            valueName: "card"))
    var text: String?

    /// Whether the option was given.
    var isNamed: Bool { text != nil }

    /// The selected card.
    ///
    /// - Throws: ``Failure`` if the option selects none of the contact's cards, or more than one.
    func one(of contact: Contact, _ context: CommandContext) throws -> SourcedCard {
        var cards = contact.cards
        if let text {
            cards = cards.filter { $0.reference.name == text }
            if cards.isEmpty {
                let source = try context.addressBook.source(named: text).id
                cards = contact.cards.filter { $0.source == source }
            }
            if cards.isEmpty {
                throw Failure.notFound("“\(contact.displayName)” has no card in “\(text)”.")
            }
        }
        if cards.count == 1 { return cards[0] }
        throw Failure.usage(
            "“\(contact.displayName)” has \(cards.count) cards. Say which one with --card:",
            candidates: cards.map { card in
                let isOnly = cards.count { $0.source == card.source } == 1
                return isOnly ? context.addressBook.sourceName(of: card) : card.reference.name
            })
    }
}
