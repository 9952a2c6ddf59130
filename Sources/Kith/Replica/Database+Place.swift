import GRDB
import GRDBSQLite

extension Database {
    /// Whether the path of the connection's file leads to another file now, or to none. It is false in memory.
    var hasMoved: Bool {
        var moved: Int32 = 0
        return sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
    }
}
