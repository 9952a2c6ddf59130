/// The tables of what an account says of itself, and of the people in its network.
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
        -- What an older version could only keep is read anew, now that it is understood.
        UPDATE feed SET isDoubtful = 1 WHERE EXISTS (
            SELECT 1 FROM parked WHERE parked.account = feed.account AND parked.feed = feed.id
                AND collection IN ('profile', 'contact'));
        DELETE FROM parked WHERE collection IN ('profile', 'contact');
        """

    /// Names and times of people, names of what was refused, and removed identities.
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
