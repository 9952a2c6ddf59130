/// One step of the migrations.
package struct MigrationStep: Sendable {
    /// Its statements, in their order.
    package let statements: [String]
    /// Whether a program that does not know the step can go on with the database.
    package let keepsOlderPrograms: Bool
    /// Whether it removes data.
    private let clears: Bool

    /// A step that only adds, so that nodes of the previous version run on while the others are upgraded.
    ///
    /// Every statement of the previous version must still have the same meaning: columns and tables are added that it
    /// need not write. A change that takes something away has two steps in two releases: the first adds the new form,
    /// and its program writes both; the second, which is ``replacing(_:)``, removes the old one.
    package static func adding(_ statements: [String]) -> MigrationStep {
        MigrationStep(statements: statements, keepsOlderPrograms: true, clears: false)
    }

    /// A step that removes data which no program reads any more, this one or an older one. Nodes of the previous version run
    /// on.
    package static func clearing(_ statements: [String]) -> MigrationStep {
        MigrationStep(statements: statements, keepsOlderPrograms: true, clears: true)
    }

    /// A step after which older programs would write wrong data. It runs when no older node runs any more.
    package static func replacing(_ statements: [String]) -> MigrationStep {
        MigrationStep(statements: statements, keepsOlderPrograms: false, clears: false)
    }

    /// The statements of an adding step that could break an older program: all but a new table, a new column that may
    /// be left out, and an index that refuses no row. A clearing step only updates and deletes rows.
    package var unfitStatements: [String] {
        guard keepsOlderPrograms else { return [] }
        return statements.filter { statement in
            let words = statement.uppercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if clears { return !words.hasPrefix("UPDATE ") && !words.hasPrefix("DELETE FROM ") }
            if words.hasPrefix("CREATE TABLE ") || words.hasPrefix("CREATE UNLOGGED TABLE ") { return false }
            if words.hasPrefix("CREATE INDEX ") { return false }
            let adds = words.hasPrefix("ALTER TABLE ") && words.contains(" ADD COLUMN ")
            // One column and nothing else, and no condition that rows of an older program could break.
            let others = [",", " UNIQUE", " CHECK", " REFERENCES", " PRIMARY KEY"]
            let isColumn = adds && !others.contains { words.contains($0) }
            return !isColumn || (words.contains(" NOT NULL") && !words.contains(" DEFAULT "))
        }
    }
}
