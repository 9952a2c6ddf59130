package import GRDB

/// The local number of a store. Each of the store's rows has it, which separates them from the rows of other stores.
package struct StoreKey: Hashable, Sendable {
    package let number: Int64

    package init(_ number: Int64) { self.number = number }
}

extension StoreKey: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { number.databaseValue }

    package static func fromDatabaseValue(_ value: DatabaseValue) -> StoreKey? {
        Int64.fromDatabaseValue(value).map(StoreKey.init)
    }

    /// Binds the number to a parameter of a statement, without a box.
    package func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        number.bind(to: sqliteStatement, at: index)
    }
}
