/// The facts of single collections, one value of each type. It is a value, and empty for most requests.
package struct FactStore: Sendable {
    private var values: [ObjectIdentifier: any LedgerFacts] = [:]

    package init() {}

    /// The facts of a type; nothing if none were stored.
    package subscript<Facts: LedgerFacts>(type: Facts.Type) -> Facts {
        get {
            // To cast nothing takes as long as to cast a value.
            guard let facts = values[ObjectIdentifier(type)] else { return Facts() }
            return facts as? Facts ?? Facts()
        }
        _modify {
            // They are taken out meanwhile. Otherwise every change would copy what they contain.
            var facts = self[type]
            values[ObjectIdentifier(type)] = nil
            defer { values[ObjectIdentifier(type)] = facts }
            yield &facts
        }
    }
}
