/// What the rules of one collection have to read, or know besides feeds, access and records.
///
/// The rules declare a type of their own, beside them. The engine keeps its values by type and does not look into them.
package protocol LedgerFacts: Sendable {
    /// Nothing: what a request has that does not concern the collection.
    init()
}
