import Foundation
public import GRDB
import GRDBSQLite
public import KithModel

extension RecordID: SQLExpressible {}
extension RecordID: StatementBinding {
    /// Binds the sixteen bytes of the UUID to a parameter of a statement.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBytes(of: uuid.uuid) {
            sqlite3_bind_blob(sqliteStatement, index, $0.baseAddress, 16, DirectStatement.copied)
        }
    }
}
extension RecordID: DatabaseValueConvertible {
    /// The sixteen bytes of the UUID.
    public var databaseValue: DatabaseValue { uuid.data.databaseValue }

    /// The identity with these sixteen bytes; nil for any other value.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
        Data.fromDatabaseValue(value).flatMap { UUID(bytes: $0) }.map { Self($0) }
    }
}
extension DirectStatement.Columns {
    /// An identity.
    ///
    /// - Throws: `DatabaseError` if the column has no identity. In that case the database is damaged.
    package func id<Record>(_ column: CInt) throws -> RecordID<Record> {
        guard let id: RecordID<Record> = idIfAny(column) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "Column \(column) is no identity.")
        }
        return id
    }

    /// An identity; nil for NULL.
    package func idIfAny<Record>(_ column: CInt) -> RecordID<Record>? {
        withBytes(column) { bytes in
            bytes.count == 16 ? RecordID(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) : nil
        }
    }
}
