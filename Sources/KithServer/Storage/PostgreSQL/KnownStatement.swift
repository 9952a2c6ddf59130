import CPostgreSQL

/// A statement that a session runs often, and its names in PostgreSQL: one for each list of types with which it is
/// prepared.
final class KnownStatement {
    let numbered: NumberedStatement
    /// Whether it is found again by its text. Otherwise it must not be prepared.
    let isKept: Bool
    var names: [[Oid]: String] = [:]

    init(_ numbered: NumberedStatement, isKept: Bool) {
        (self.numbered, self.isKept) = (numbered, isKept)
    }
}
