package import GRDB
import KithModel

/// The tables of a replica, with the migrations of each version.
///
/// They are plain typed tables that an app may query and observe. `account` is a small local number that separates each
/// account's rows from the others': an account without an identity gets one by changing a single row. The tables have
/// row ids, because SQLite does not report changes of tables without them.
///
/// A shipped migration is never changed, because replicas have already run it.
package enum ReplicaSchema {
    package static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: lists") { db in
            try db.execute(sql: accounts + lists + outbox + feeds)
        }
        migrator.registerMigration("2: what is in flight, and since when it waits") { db in
            try db.execute(
                sql: """
                    CREATE INDEX mutation_flight ON mutation (account, number)
                        WHERE taken IS NULL AND number IS NOT NULL;
                    DROP INDEX mutation_log;
                    CREATE INDEX mutation_log ON mutation (account, taken) WHERE taken IS NOT NULL;
                    -- When the first of the edits that it holds was made.
                    ALTER TABLE mutation ADD COLUMN made INTEGER NOT NULL DEFAULT 0;
                    UPDATE mutation SET made = edited;
                    """)
        }
        migrator.registerMigration("3: people") { db in
            try db.execute(sql: people)
        }
        migrator.registerMigration("4: discovery") { db in try db.execute(sql: discovery) }
        migrator.registerMigration("5: which state the lookups are") { db in
            try db.execute(
                sql: """
                    -- Another one after each change of a lookup, so that what is in memory can be told from what was.
                    ALTER TABLE discovery ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
                    """)
        }
        migrator.registerMigration("6: in which epoch buckets were read") { db in
            try db.execute(
                sql: """
                    -- The server's, by what it said of itself when it was looked. Until now a round had seen to it.
                    ALTER TABLE discovery ADD COLUMN epoch TEXT;
                    UPDATE discovery SET epoch = (SELECT epoch FROM account WHERE key = discovery.account);
                    """)
        }
        migrator.registerMigration("7: to which server an account belongs") { db in try db.execute(sql: servers) }
        migrator.registerMigration("8: names of what was refused, removed identities, people") { db in
            try db.execute(sql: names)
        }
        migrator.registerMigration("9: the last removal") { db in
            try db.execute(
                sql: """
                    -- What was removed last, with its content, until it is undone.
                    CREATE TABLE removal (
                        account INTEGER PRIMARY KEY REFERENCES account (key) ON DELETE CASCADE,
                        date INTEGER NOT NULL,
                        records TEXT NOT NULL
                    );
                    """)
        }
        return migrator
    }

    private static let discovery = """
        -- What was asked of the service, so that it is asked once.
        CREATE TABLE lookup (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            identity TEXT NOT NULL,
            discoveryKey TEXT NOT NULL,
            output BLOB NOT NULL,
            -- Whether its bucket was ever read under the key.
            isLooked INTEGER NOT NULL DEFAULT 0,
            -- The account that has it; NULL if none has.
            match BLOB,
            -- When an app last handed it in; NULL if it is only in the address book.
            handedIn INTEGER,
            PRIMARY KEY (account, identity)
        );
        CREATE INDEX lookup_match ON lookup (account) WHERE match IS NOT NULL;
        CREATE TABLE discovery (
            account INTEGER PRIMARY KEY REFERENCES account (key) ON DELETE CASCADE,
            isEnabled INTEGER NOT NULL DEFAULT 0,
            connects INTEGER NOT NULL DEFAULT 0,
            -- When the whole address book was last looked through.
            looked INTEGER,
            -- The key whose buckets were read, and up to which of its sequences.
            readKey TEXT,
            readThrough INTEGER,
            attempt INTEGER NOT NULL DEFAULT 0,
            retryAt INTEGER,
            quotaLimit INTEGER,
            quotaUsed INTEGER,
            quotaResets INTEGER
        );

        """

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
            -- How many mutations one request may carry; halved when the server finds it too large.
            batch INTEGER NOT NULL DEFAULT 500,
            -- When a round last read everything to its end.
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
            -- When the list or one of its items last changed, kept beside what the server knows of the list itself.
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
        CREATE TABLE member (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            list BLOB NOT NULL,
            id BLOB NOT NULL,
            role TEXT,
            name TEXT,
            extra TEXT,
            sequence INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, id, list)
        );
        CREATE TABLE membership (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            id BLOB NOT NULL,
            role TEXT,
            position TEXT,
            extra TEXT,
            sequence INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, id)
        );
        -- Reads a list in its order; finds its last item, and what stands after another.
        CREATE INDEX item_order ON item (account, list, position, id);
        CREATE INDEX member_list ON member (account, list);

        """

    private static let outbox = """
        CREATE TABLE mutation (
            ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            id BLOB NOT NULL,
            -- NULL while it waits; given when it is first sent.
            number INTEGER,
            -- The ordinal of its group's first mutation; NULL if it stands alone.
            grouping INTEGER,
            -- NULL for the account's own feed.
            feed BLOB,
            collection TEXT NOT NULL,
            record BLOB NOT NULL,
            seen INTEGER NOT NULL,
            change TEXT NOT NULL,
            edited INTEGER NOT NULL,
            -- When single fields were edited, if at another time.
            edits TEXT,
            -- When the server had taken it: from then on it is only the log.
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
            -- Kept as long as the log, so that a mutation that is sent again is not told again.
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
            -- Of an earlier version; nothing reads it.
            isComplete INTEGER NOT NULL DEFAULT 0,
            -- Whether the next round asks to read it again.
            isDoubtful INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, id)
        );
        -- Records of collections that this version does not know: kept for one that does.
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
}

/// The tables of profiles and contacts.
extension ReplicaSchema {
    static let people = """
        -- What I say of myself: one row an account. Phones, emails, addresses and sites are arrays, as JSON.
        CREATE TABLE profile (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            id BLOB NOT NULL,
            given TEXT,
            family TEXT,
            nick TEXT,
            title TEXT,
            jobTitle TEXT,
            company TEXT,
            status TEXT,
            phones TEXT,
            emails TEXT,
            addresses TEXT,
            sites TEXT,
            language TEXT,
            country TEXT,
            timeZone TEXT,
            pictureSmall TEXT,
            pictureLarge TEXT,
            isListed INTEGER,
            isDiscoverable INTEGER,
            givenVisibility TEXT,
            familyVisibility TEXT,
            nickVisibility TEXT,
            titleVisibility TEXT,
            jobTitleVisibility TEXT,
            companyVisibility TEXT,
            statusVisibility TEXT,
            pictureVisibility TEXT,
            phonesVisibility TEXT,
            emailsVisibility TEXT,
            addressesVisibility TEXT,
            sitesVisibility TEXT,
            languageVisibility TEXT,
            countryVisibility TEXT,
            timeZoneVisibility TEXT,
            presenceVisibility TEXT,
            lastSeenVisibility TEXT,
            extra TEXT,
            sequence INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, id)
        );
        -- Whom I am connected with, ask, am asked by, block or mute.
        CREATE TABLE contact (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            id BLOB NOT NULL,
            -- What I want, and when the other asked: what the two are to each other follows from both.
            wish TEXT,
            isBlocked INTEGER,
            mutedFrom INTEGER,
            mutedUntil INTEGER,
            -- When the server heard of the block.
            blocked INTEGER,
            asked INTEGER,
            notified INTEGER,
            isBot INTEGER,
            detailsTag TEXT,
            given TEXT,
            family TEXT,
            nick TEXT,
            title TEXT,
            jobTitle TEXT,
            company TEXT,
            status TEXT,
            pictureSmall TEXT,
            pictureLarge TEXT,
            extra TEXT,
            sequence INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, id)
        );
        -- What contacts showed of themselves beyond their summary when they were last asked, as JSON.
        CREATE TABLE details (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            id BLOB NOT NULL,
            -- Tells one state of the details from another; compared with the contact's.
            tag TEXT,
            fields TEXT NOT NULL,
            PRIMARY KEY (account, id)
        );
        -- Pictures by their SHA-256: those of contacts that were looked at, and my own.
        CREATE TABLE picture (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            hash TEXT NOT NULL,
            bytes BLOB NOT NULL,
            size INTEGER NOT NULL,
            -- When it was last shown: the oldest makes room.
            used INTEGER NOT NULL,
            -- My own, that the server has yet to get.
            isUnsent INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, hash)
        );
        CREATE INDEX picture_use ON picture (account, isUnsent, used);
        -- What an older version could only keep is read again, now that it is understood.
        UPDATE feed SET isDoubtful = 1 WHERE EXISTS (
            SELECT 1 FROM parked WHERE parked.account = feed.account AND parked.feed = feed.id
                AND collection IN ('profile', 'contact'));
        DELETE FROM parked WHERE collection IN ('profile', 'contact');
        """

    /// Names and times of people, names of refused records, and removed identities.
    static let names = """
        -- What the record and its list were called when they went from here, for a refusal that is still to come.
        ALTER TABLE mutation ADD COLUMN listName TEXT;
        ALTER TABLE mutation ADD COLUMN title TEXT;
        ALTER TABLE rejection ADD COLUMN listName TEXT;
        ALTER TABLE rejection ADD COLUMN title TEXT;
        ALTER TABLE contact ADD COLUMN accepted INTEGER;
        UPDATE contact SET accepted = json_extract(extra, '$.accepted') WHERE extra IS NOT NULL;
        ALTER TABLE member ADD COLUMN profileName TEXT;
        UPDATE member SET profileName = json_extract(extra, '$.profileName') WHERE extra IS NOT NULL;
        -- Identities that an app chose, of lists and items that are gone: an import does not bring them back.
        CREATE TABLE removedIdentity (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE,
            list BLOB NOT NULL,
            id BLOB NOT NULL,
            date INTEGER NOT NULL,
            PRIMARY KEY (account, list, id)
        );
        CREATE INDEX removedIdentity_date ON removedIdentity (account, date);
        """
}

/// The columns and tables that separate the servers of a device's accounts.
extension ReplicaSchema {
    static let servers = """
        -- The id of the server's database, and where it was last reached. Both are NULL until the server has accepted the
        -- account's token; the id stays NULL with a server of an older version.
        ALTER TABLE account ADD COLUMN server BLOB;
        ALTER TABLE account ADD COLUMN address TEXT;
        -- Log-outs that the server has not heard of. The token is in the credential store, under the same id.
        CREATE TABLE endedSession (
            id TEXT PRIMARY KEY,
            server BLOB,
            address TEXT,
            ended INTEGER NOT NULL
        );
        """
}
