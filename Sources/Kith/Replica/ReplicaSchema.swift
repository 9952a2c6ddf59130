package import GRDB

/// The tables of a replica, with the migrations of each version.
///
/// Most tables of records are created from the schemas of the model, after the migrations: see
/// ``RecordTable/createIfMissing(_:)``. Here are those of lists and items, which have more than their schema.
///
/// They are plain typed tables that an app may query and observe. `account` is a small local number that separates each
/// account's rows from the others': an account without an identity gets one by changing a single row. The tables have
/// row ids, because SQLite does not report changes of tables without row ids.
///
/// Nothing is added to a shipped migration, because replicas have already run it.
package enum ReplicaSchema {
    /// Brings a replica to this version, also if another process does the same at the same time.
    ///
    /// - Parameter database: The database of the replica.
    /// - Returns: The migrations that the replica has had before. It is empty for a new replica.
    /// - Throws: ``KithError`` with `newerVersion` if a newer version has migrated the replica: then nothing is written,
    ///   because this version does not know the rules of its tables. `DatabaseError`, as SQLite reports it.
    static func migrate(_ database: any DatabaseWriter) throws -> Set<String> {
        let migrator = migrator
        func applied() throws -> Set<String> {
            try database.writeWithoutTransaction { db in
                do {
                    // GRDB's own query would be prepared each time.
                    return try String.fetchSet(db.cachedStatement(sql: "SELECT identifier FROM grdb_migrations"))
                } catch DatabaseError.SQLITE_ERROR {
                    // A new replica has no such table.
                    return []
                }
            }
        }
        let before = try applied()
        guard before.isSubset(of: migrator.migrations) else { throw KithError.newerVersion }
        // GRDB's migrator would run `CREATE TABLE IF NOT EXISTS`, and then forget all prepared statements.
        if before.isSuperset(of: migrator.migrations) { return before }
        var known = before
        while true {
            do {
                try migrator.migrate(database)
                return before
            } catch let error as DatabaseError {
                // Another process has run a migration after this one had looked at what there is.
                let present = try applied()
                guard present.count > known.count else { throw error }
                known = present
            }
        }
    }

    /// Reads the tables of records in a replica, and checks that this version knows them and all their columns.
    ///
    /// An older version would store the values of a new field in ``RecordTable``'s column of unknown fields, and records of
    /// a new collection as parked ones. The newer version, which has a place of its own for them, would never show these.
    ///
    /// - Returns: The columns of each table of records.
    /// - Throws: ``KithError`` with `newerVersion` if a newer version has added a field or a collection.
    static func knownColumns(
        of tables: [RecordTable], _ database: any DatabaseWriter
    ) throws -> [String: Set<String>] {
        let columns = try database.writeWithoutTransaction { db in
            var columns: [String: Set<String>] = [:]
            try DirectStatement(columnsOfRecords, db).forEach { row in
                columns[row.text(0), default: []].insert(row.text(1))
            }
            return columns.filter { $0.value.isSuperset(of: RecordTable.commonColumns) }
        }
        let known = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0) })
        for (name, present) in columns {
            guard known[name]?.knows(present) ?? false else { throw KithError.newerVersion }
        }
        return columns
    }

    /// The columns of the tables whose texts name all columns that tables of records have. Those of other tables are not
    /// read, because SQLite prepares a statement for each table.
    private static let columnsOfRecords = """
        SELECT owner.name, item.name FROM sqlite_master AS owner, pragma_table_info(owner.name) AS item
        WHERE owner.type = 'table'
            AND \(RecordTable.commonColumns.sorted().map { "instr(owner.sql, '\($0)')" }.joined(separator: " AND "))
        """

    /// The name and the statements of each migration, in their order.
    private static let migrations: [(name: String, sql: String)] = [
        ("1: lists", accounts + lists + outbox + feeds),
        ("2: what is in flight, and since when it waits", flight),
        ("3: people", people),
        ("4: discovery", discovery),
        ("5: which state the lookups are", lookupRevision),
        ("6: in which epoch buckets were read", bucketEpoch),
        ("7: to which server an account belongs", servers),
        ("8: names of what was refused, removed identities, people", names),
        ("9: the last removal", removal),
        ("10: whether the account is identified", identification),
        ("11: stores that the user has to decide about", decisions),
        ("12: programmes of sharing", programmes),
    ]

    package static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (name, sql) in migrations { migrator.registerMigration(name) { try $0.execute(sql: sql) } }
        return migrator
    }

    private static let accounts = """
        CREATE TABLE account (
            key INTEGER PRIMARY KEY,
            -- NULL until a first session is opened: the userless store.
            id BLOB UNIQUE,
            isCurrent INTEGER NOT NULL DEFAULT 0,
            state TEXT NOT NULL DEFAULT 'initial',
            device BLOB NOT NULL,
            acknowledgedNumber INTEGER NOT NULL DEFAULT 0,
            acknowledgedHash TEXT NOT NULL DEFAULT '',
            -- The highest number ever given to a mutation.
            sent INTEGER NOT NULL DEFAULT 0,
            token TEXT,
            epoch TEXT,
            -- How many mutations one request may carry; halved when the server refuses a request as too large.
            batch INTEGER NOT NULL DEFAULT 500,
            -- When a round last read all changes.
            completed INTEGER,
            attempt INTEGER NOT NULL DEFAULT 0,
            retryAt INTEGER,
            errorCode TEXT,
            errorSentence TEXT
        );

        """

    private static let lists = """
        CREATE TABLE list (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            id BLOB NOT NULL,
            name TEXT,
            kind TEXT,
            theme TEXT,
            access TEXT,
            -- Fields of newer versions, as JSON; here and in each table of records.
            extra TEXT,
            sequence INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0,
            -- When the list or one of its items last changed. This is not part of the synced record.
            touched INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, id)
        );
        CREATE TABLE item (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            list BLOB NOT NULL,
            id BLOB NOT NULL,
            title TEXT,
            count INTEGER,
            ticked INTEGER,
            position TEXT,
            category TEXT,
            comment TEXT,
            offer TEXT,
            creator BLOB,
            extra TEXT,
            sequence INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, id, list)
        );
        -- Reads a list in its order, and finds its last item or the next item after another.
        CREATE INDEX item_order ON item (account, list, position, id);

        """

    private static let outbox = """
        CREATE TABLE mutation (
            ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            id BLOB NOT NULL,
            -- NULL while it waits; given when it is first sent.
            number INTEGER,
            -- The ordinal of its group's first mutation; NULL if it is not in a group.
            grouping INTEGER,
            -- NULL for the account's own feed.
            feed BLOB,
            collection TEXT NOT NULL,
            record BLOB NOT NULL,
            seen INTEGER NOT NULL,
            change TEXT NOT NULL,
            edited INTEGER NOT NULL,
            -- The times of edits of single fields, if they differ from `edited`.
            edits TEXT,
            -- When it was acknowledged as taken. Since then it is only in the log.
            taken INTEGER
        );
        CREATE INDEX mutation_waiting ON mutation (account, ordinal) WHERE taken IS NULL;
        CREATE INDEX mutation_record ON mutation (account, record) WHERE taken IS NULL;
        CREATE INDEX mutation_log ON mutation (account, number) WHERE taken IS NOT NULL;
        CREATE TABLE rejection (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            id BLOB NOT NULL,
            code TEXT NOT NULL,
            sentence TEXT NOT NULL,
            feed BLOB,
            collection TEXT NOT NULL,
            record BLOB NOT NULL,
            change TEXT NOT NULL,
            date INTEGER NOT NULL,
            -- Kept as long as the log, so that a resent mutation is not reported twice.
            isDismissed INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, id)
        );

        """

    private static let feeds = """
        CREATE TABLE feed (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            -- Sixteen zero bytes for the account's own feed.
            id BLOB NOT NULL,
            digest TEXT NOT NULL DEFAULT '0000000000000000',
            -- Unused; only earlier versions read it.
            isComplete INTEGER NOT NULL DEFAULT 0,
            -- Whether the next round asks to reread the feed.
            isDoubtful INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, id)
        );
        -- Records of collections that this version does not know, kept for a later version.
        CREATE TABLE parked (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            feed BLOB NOT NULL,
            id BLOB NOT NULL,
            collection TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            fields TEXT NOT NULL,
            PRIMARY KEY (account, feed, id)
        );
        """

    private static let flight = """
        CREATE INDEX mutation_flight ON mutation (account, number)
            WHERE taken IS NULL AND number IS NOT NULL;
        DROP INDEX mutation_log;
        CREATE INDEX mutation_log ON mutation (account, taken) WHERE taken IS NOT NULL;
        -- The time of its first edit.
        ALTER TABLE mutation ADD COLUMN made INTEGER NOT NULL DEFAULT 0;
        UPDATE mutation SET made = edited;
        """

    /// The tables of people that are not synced records.
    private static let people = """
        -- The details of contacts when they were last fetched, as JSON.
        CREATE TABLE details (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            id BLOB NOT NULL,
            -- Identifies a version of the details; compared with the contact's `detailsTag`.
            tag TEXT,
            fields TEXT NOT NULL,
            PRIMARY KEY (account, id)
        );
        -- Pictures by their SHA-256: those of contacts that were shown, and my own.
        CREATE TABLE picture (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            hash TEXT NOT NULL,
            bytes BLOB NOT NULL,
            size INTEGER NOT NULL,
            -- When it was last shown. The oldest pictures are removed first to make room.
            used INTEGER NOT NULL,
            -- Whether it is my own and has not been sent to the server yet.
            isUnsent INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, hash)
        );
        CREATE INDEX picture_use ON picture (account, isUnsent, used);
        """

    private static let discovery = """
        -- The results of discovery, so that each identity is evaluated only once.
        CREATE TABLE lookup (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            identity TEXT NOT NULL,
            discoveryKey TEXT NOT NULL,
            output BLOB NOT NULL,
            -- Whether its bucket was ever read under the key.
            isLooked INTEGER NOT NULL DEFAULT 0,
            -- The account with this identity; NULL if there is none.
            match BLOB,
            -- When an app last passed it in; NULL if it is only in the address book.
            handedIn INTEGER,
            PRIMARY KEY (account, identity)
        );
        CREATE INDEX lookup_match ON lookup (account) WHERE match IS NOT NULL;
        CREATE TABLE discovery (
            account INTEGER PRIMARY KEY REFERENCES account (key) ON DELETE CASCADE,
            isEnabled INTEGER NOT NULL DEFAULT 0,
            connects INTEGER NOT NULL DEFAULT 0,
            -- The time of the last look through the whole address book.
            looked INTEGER,
            -- The key whose buckets were read, and the sequence up to which they were read.
            readKey TEXT,
            readThrough INTEGER,
            attempt INTEGER NOT NULL DEFAULT 0,
            retryAt INTEGER,
            quotaLimit INTEGER,
            quotaUsed INTEGER,
            quotaResets INTEGER
        );

        """

    private static let lookupRevision = """
        -- Changes with each change of a lookup, so that a stale copy in memory can be recognised.
        ALTER TABLE discovery ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
        """

    private static let bucketEpoch = """
        -- The server's epoch at the last look. Rows of earlier versions get the epoch of the last round.
        ALTER TABLE discovery ADD COLUMN epoch TEXT;
        UPDATE discovery SET epoch = (SELECT epoch FROM account WHERE key = discovery.account);
        """

    /// The columns and tables that separate the servers of a device's accounts.
    private static let servers = """
        -- The id of the server's database, and the address where it was last reached. Both are NULL until the server
        -- has accepted the account's token; the id stays NULL with a server of an older version.
        ALTER TABLE account ADD COLUMN server BLOB;
        ALTER TABLE account ADD COLUMN address TEXT;
        -- Log-outs that the server has not been notified of. The token is in the credential store, under the same id.
        CREATE TABLE endedSession (
            id TEXT PRIMARY KEY,
            server BLOB,
            address TEXT,
            ended INTEGER NOT NULL
        );
        """

    /// Names of refused records, and removed identities.
    private static let names = """
        -- The names of the record and its list at the time of their removal, for a later rejection.
        ALTER TABLE mutation ADD COLUMN listName TEXT;
        ALTER TABLE mutation ADD COLUMN title TEXT;
        ALTER TABLE rejection ADD COLUMN listName TEXT;
        ALTER TABLE rejection ADD COLUMN title TEXT;
        -- Stable identities of removed lists and items, so that an import does not restore them.
        CREATE TABLE removedIdentity (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            list BLOB NOT NULL,
            id BLOB NOT NULL,
            date INTEGER NOT NULL,
            PRIMARY KEY (account, list, id)
        );
        CREATE INDEX removedIdentity_date ON removedIdentity (account, date);
        """

    private static let removal = """
        -- The last removal, with the removed content, until it is undone.
        CREATE TABLE removal (
            account INTEGER PRIMARY KEY REFERENCES account (key) ON DELETE CASCADE,
            date INTEGER NOT NULL,
            records TEXT NOT NULL
        );
        """

    private static let identification = """
        -- Stored in addition to the state, so that it is also known while the server fails and after the session has ended.
        ALTER TABLE account ADD COLUMN isIdentified INTEGER NOT NULL DEFAULT 0;
        UPDATE account SET isIdentified = (state = 'identified');
        """

    private static let decisions = """
        -- Set when a sign-in hides the store, in the same transaction, until the user has decided.
        ALTER TABLE account ADD COLUMN isUndecided INTEGER NOT NULL DEFAULT 0;
        """

    private static let programmes = """
        -- The server's programmes when they were last fetched, as JSON, for reading offline.
        CREATE TABLE programme (
            account INTEGER PRIMARY KEY REFERENCES account (key) ON DELETE CASCADE,
            programmes TEXT NOT NULL,
            fetched INTEGER NOT NULL,
            -- Whether the account was identified then, because zones depend on it.
            isIdentified INTEGER NOT NULL,
            -- The tags of the requested languages, separated by spaces.
            languages TEXT NOT NULL
        );
        """
}
