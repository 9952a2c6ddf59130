package import GRDB

/// The tables of the address book's file, and the migrations of each version.
///
/// A migration that was ever released is never changed, because existing files have already run it.
package enum AddressBookSchema {
    /// All tables. They are checked when the file is opened, and salvaged if it is damaged.
    static let tables = ["source", "link", "setting", "cachedBook", "cachedCard", "waitingEdit"]

    /// Removes the cached cards and waiting edits of sources that no longer exist. Another program may have removed a
    /// source while this one was reading it.
    static let forgettingOrphans = """
        DELETE FROM cachedCard WHERE source NOT IN (SELECT 'source-' || id FROM source);
        DELETE FROM cachedBook WHERE source NOT IN (SELECT 'source-' || id FROM source);
        DELETE FROM waitingEdit WHERE source NOT IN (SELECT 'source-' || id FROM source);
        """

    /// The name and the statements of each migration, in their order.
    private static let migrations: [(name: String, sql: String)] = [
        ("1: sources, links and cached cards", sources),
        ("2: edits that wait for an account", waitingEdits),
        ("3: what was sent of an edit", attemptedEdits),
    ]

    package static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (name, sql) in migrations { migrator.registerMigration(name) { try $0.execute(sql: sql) } }
        return migrator
    }

    private static let sources = """
        CREATE TABLE source (
            -- Never given twice: the ids of contacts begin with it.
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            -- A StoredLocation as JSON.
            location TEXT NOT NULL
        );
        -- What was said by hand of two cards, by the ids of contacts that would consist of one alone.
        CREATE TABLE link (
            ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
            first TEXT NOT NULL,
            second TEXT NOT NULL,
            isTogether INTEGER NOT NULL,
            UNIQUE (first, second)
        );
        CREATE TABLE setting (
            name TEXT PRIMARY KEY,
            value TEXT NOT NULL
        );

        -- What `CardCache` keeps of accounts.
        CREATE TABLE cachedBook (
            source TEXT NOT NULL,
            path TEXT NOT NULL,
            token TEXT NOT NULL,
            PRIMARY KEY (source, path)
        );
        CREATE TABLE cachedCard (
            source TEXT NOT NULL,
            book TEXT NOT NULL,
            path TEXT NOT NULL,
            etag TEXT NOT NULL,
            bytes BLOB NOT NULL,
            PRIMARY KEY (source, path)
        );
        CREATE INDEX cachedCard_book ON cachedCard (source, book);
        """

    private static let waitingEdits = """
        -- What `WaitingEdits` keeps: one edit at most for each card.
        CREATE TABLE waitingEdit (
            ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
            source TEXT NOT NULL,
            book TEXT NOT NULL,
            path TEXT NOT NULL,
            -- The card as it was read, before the edit.
            original BLOB NOT NULL,
            -- The card with the edit; null to remove it.
            edited BLOB,
            -- Why the server did not take it; null while it waits.
            refusal TEXT,
            UNIQUE (source, path)
        );
        """

    private static let attemptedEdits = """
        -- The card that was last sent, which the server may have; null if none was sent.
        ALTER TABLE waitingEdit ADD COLUMN attempted BLOB;
        """
}
