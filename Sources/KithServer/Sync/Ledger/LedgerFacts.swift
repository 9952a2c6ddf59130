/// A value that the rules of one collection keep in the ledger: what they have to read (`Needs`), or what they have
/// read (`Facts`).
///
/// The rules declare a type of their own, beside them. The engine keeps its values by type and does not look into them.
package protocol LedgerFacts: Sendable {
    /// The empty value, for a request that does not concern the collection.
    init()
}
