package import GRDB

/// The rows of one store in an open database.
package struct Store {
    package let db: Database
    package let key: StoreKey

    package init(_ db: Database, _ key: StoreKey) { (self.db, self.key) = (db, key) }
}
