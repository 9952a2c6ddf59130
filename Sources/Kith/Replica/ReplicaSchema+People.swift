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

        """
}
