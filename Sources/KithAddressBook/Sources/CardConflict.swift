import Kith
public import KithCards

/// Two programs have changed the same properties of a card, so saving one edit would undo the other.
///
/// It is the cause of a `KithError` with the code `conflict`, whose message shows both versions. Nothing was written.
public struct CardConflict: Error, Hashable, Sendable {
    /// The names of the conflicting properties, in capitals, in order.
    public let properties: [String]
    /// The card that was to be saved; nil if it was to be removed.
    public let mine: VCard?
    /// The card that the other program has stored.
    public let theirs: VCard

    /// The error message: one sentence for each property, with both versions.
    var sentence: String {
        let name = CardSimilarity.name(of: Card(theirs)).map { "“\($0)”" } ?? "The card"
        guard let mine else {
            let changes = properties.joined(separator: ", ")
            return "\(name) was changed by another program since it was read (\(changes)), so it was not removed. "
                + "Look at it again."
        }
        let versions = properties.map { property in
            "\(property) is \(Self.lines(property, in: mine)) here and \(Self.lines(property, in: theirs)) there."
        }
        return "\(name) was changed by another program too, so the edit was not saved. "
            + versions.joined(separator: " ") + " Edit the card again."
    }

    /// The length at which a version is cut off in the message, in characters.
    private static let shownLength = 200

    /// The values of a property in a card, for messages.
    static func lines(_ property: String, in card: VCard) -> String {
        let lines = card.properties.filter { $0.name == property }.map(\.text)
        if lines.isEmpty { return "nothing" }
        let shown = lines.joined(separator: ", ")
        return "“\(shown.prefix(shownLength))\(shown.count > shownLength ? "…" : "")”"
    }
}

extension KithError {
    /// An edit that would undo another program's edit.
    init(_ conflict: CardConflict) { self.init(.conflict, conflict.sentence, cause: conflict) }
}

extension VCard {
    /// Merges an edit into this card. This card is the source's current version; the edit was made to an earlier
    /// version.
    ///
    /// - Throws: ``KithError`` with `conflict` if another program has changed the same properties differently.
    func taking(_ edited: VCard, editedFrom original: VCard) throws -> VCard {
        switch merging(edited, editedFrom: original) {
        case .merged(let merged): return merged
        case .conflict(let properties):
            throw KithError(CardConflict(properties: properties, mine: edited, theirs: self))
        }
    }

    /// Checks that a card to be removed has not changed. This card is the source's current version.
    ///
    /// - Throws: ``KithError`` with `conflict` if any property differs from `original`.
    func checkUnchanged(since original: VCard) throws {
        let properties = original.properties(differingFrom: self)
        if !properties.isEmpty { throw KithError(CardConflict(properties: properties, mine: nil, theirs: self)) }
    }
}
