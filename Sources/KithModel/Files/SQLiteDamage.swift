/// Which results of SQLite say that a file is damaged: a device's replica, or a server's database.
///
/// The results are those of SQLite's documentation, “Result and Error Codes”. They are numbers here, because this module does
/// not contain SQLite.
package enum SQLiteDamage {
    /// Whether a result says that the file is damaged.
    ///
    /// - Parameters:
    ///   - code: The result code. It may be an extended one.
    ///   - message: SQLite's own words.
    /// - Returns: Whether it is damaged.
    package static func isReported(by code: Int32, _ message: String?) -> Bool {
        // The lowest byte of an extended code is the primary code.
        switch code & 0xFF {
        case corrupt, notADatabase: true
        // SQLite reports a wrong format of the schema, a number in the header, as a plain error.
        case plainError: message == "unsupported file format"
        default: false
        }
    }

    private static let plainError: Int32 = 1
    private static let corrupt: Int32 = 11
    private static let notADatabase: Int32 = 26
}
