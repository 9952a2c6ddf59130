/// An operation on each family of a card's entries.
protocol FamilyVisitor {
    mutating func visit<Entry: CardEntry>(_ path: WritableKeyPath<Card, [Entry]>, _ family: CardPart.Family)
}

extension FamilyVisitor {
    /// Visits every family of entries, in the order of the table.
    mutating func visitAll() { for family in CardPart.Family.table { family.accept(&self) } }
}
