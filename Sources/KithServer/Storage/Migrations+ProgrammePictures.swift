extension Migrations {
    /// The pictures of programmes. The bytes come last, so that reading the version does not read them.
    static func programmePictures(_ dialect: Dialect) -> [String] {
        [
            """
            CREATE TABLE programme_picture (
                programme TEXT NOT NULL PRIMARY KEY, version TEXT NOT NULL, type TEXT NOT NULL,
                bytes \(dialect.bytes) NOT NULL
            )
            """
        ]
    }
}
