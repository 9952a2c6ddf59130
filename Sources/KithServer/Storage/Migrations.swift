import KithModel

/// The tables, as a list of migration steps. A released step is never changed; changes are new steps.
enum Migrations {
    /// Brings the database to this program's version.
    ///
    /// - Throws: ``ServerError`` if a newer program has written the database. The data is then left unchanged.
    static func run(in transaction: any Transaction) throws {
        try transaction.execute("CREATE TABLE IF NOT EXISTS meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
        let steps = steps(transaction.dialect)
        let done = Int(try Meta.value(Meta.versionName, in: transaction) ?? "0") ?? 0
        guard done <= steps.count else {
            throw ServerError(
                .busy,
                "The database is of version \(done), this program knows \(steps.count). Start the newer program again.")
        }
        for statement in steps[done...].joined() { try transaction.execute(statement) }
        try Meta.set(Meta.versionName, to: String(steps.count), in: transaction)
    }

    /// Whether the database is of this program's version.
    static func isCurrent(in transaction: any Transaction) throws -> Bool {
        let done = try Meta.value(Meta.versionName, in: transaction).flatMap { Int($0) }
        return done == steps(transaction.dialect).count
    }

    private static func steps(_ dialect: Dialect) -> [[String]] {
        [
            first(dialect), second, third(dialect), fourth, bytesOfFeeds(dialect), memberNames, removedPeople(dialect),
            messages(dialect), codes(dialect), recovery(dialect), pairings(dialect), identityChanges, sms(dialect),
            passkeys(dialect), invitations(dialect), issuers(dialect), networksOfInvitations(dialect), accountKinds,
            sharing(dialect), webhooks(dialect),
            programmePictures(dialect),
            gifts(dialect),
            operators(dialect),
            joins,
            revisions(dialect),
            liveRecords,
        ]
    }

    /// Step 3: contacts, pictures, the directory, last-seen times, private discovery, and daily quotas.
    private static func third(_ dialect: Dialect) -> [String] {
        network(dialect) + pictures(dialect) + directory(dialect) + presence + discovery(dialect)
    }

    /// The live records of a feed in the order of their ids. A page reads them without the tombstones in between.
    private static let liveRecords = ["CREATE INDEX record_live ON record (feed, id) WHERE deleted = 0"]

    /// Step 4: a counter of waiting requests, and a covering index of evaluations.
    private static let fourth = waiting + evaluationOrder

    /// The people that the owners of lists have removed. They cannot join with an invitation.
    private static func removedPeople(_ dialect: Dialect) -> [String] {
        [
            """
            CREATE TABLE removed (
                list \(dialect.bytes) NOT NULL, account \(dialect.bytes) NOT NULL, name TEXT, since BIGINT NOT NULL,
                PRIMARY KEY (list, account)
            )\(dialect.clustered)
            """,
            "CREATE INDEX removed_account ON removed (account)",
        ]
    }

    /// The time when mutations were last taken from a device; null when nothing is left to delete for it.
    private static let second = [
        "ALTER TABLE device ADD COLUMN taken_at BIGINT",
        "CREATE INDEX device_taken_at ON device (taken_at) WHERE taken_at IS NOT NULL",
    ]

    /// Times are milliseconds since 1970, ids are 16 bytes, and flags are 0 or 1.
    private static func first(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            """
            CREATE TABLE account (
                id \(bytes) NOT NULL PRIMARY KEY, kind TEXT NOT NULL, created BIGINT NOT NULL
            )\(clustered)
            """,
            """
            CREATE TABLE session (
                token_hash \(bytes) NOT NULL PRIMARY KEY, account \(bytes) NOT NULL, created BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX session_account ON session (account)",
            // `last` is the highest number of a mutation whose outcome is stored in `taken`.
            """
            CREATE TABLE device (
                account \(bytes) NOT NULL, id \(bytes) NOT NULL, last BIGINT NOT NULL, PRIMARY KEY (account, id)
            )\(clustered)
            """,
            """
            CREATE TABLE taken (
                account \(bytes) NOT NULL, device \(bytes) NOT NULL, number BIGINT NOT NULL, hash TEXT NOT NULL,
                result TEXT NOT NULL, code TEXT, detail TEXT, PRIMARY KEY (account, device, number)
            )\(clustered)
            """,
            // `live` counts the records that are not deleted; `horizon` is the newest sequence of a purged tombstone.
            """
            CREATE TABLE feed (
                id \(bytes) NOT NULL PRIMARY KEY, kind TEXT NOT NULL, sequence BIGINT NOT NULL, digest BIGINT NOT NULL,
                live BIGINT NOT NULL, written_at BIGINT NOT NULL, horizon BIGINT NOT NULL, closed BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX feed_closed ON feed (written_at) WHERE closed = 1 AND live > 0",
            """
            CREATE TABLE record (
                feed \(bytes) NOT NULL, id \(bytes) NOT NULL, collection TEXT NOT NULL, sequence BIGINT NOT NULL,
                modified BIGINT NOT NULL, fields TEXT NOT NULL, stamps TEXT NOT NULL, deleted BIGINT NOT NULL,
                PRIMARY KEY (feed, id)
            )\(clustered)
            """,
            "CREATE INDEX record_sequence ON record (feed, sequence)",
            "CREATE INDEX record_tombstone ON record (modified) WHERE deleted = 1",
            """
            CREATE TABLE access (
                account \(bytes) NOT NULL, feed \(bytes) NOT NULL, role TEXT NOT NULL, PRIMARY KEY (account, feed)
            )\(clustered)
            """,
            "CREATE INDEX access_feed ON access (feed)",
            """
            CREATE TABLE link (
                id \(bytes) NOT NULL PRIMARY KEY, list \(bytes) NOT NULL, hash \(bytes) NOT NULL UNIQUE,
                role TEXT NOT NULL, is_public BIGINT NOT NULL, created BIGINT NOT NULL, expires BIGINT,
                accepted BIGINT NOT NULL, revoked BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX link_list ON link (list)",
            "CREATE INDEX link_expires ON link (expires)",
        ]
    }
}

extension Migrations {
    /// The bytes of the fields of each feed's records, computed for existing feeds.
    static func bytesOfFeeds(_ dialect: Dialect) -> [String] {
        [
            "ALTER TABLE feed ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0",
            """
            UPDATE feed SET bytes = (
                SELECT COALESCE(SUM(LENGTH(CAST(fields AS \(dialect.bytes)))), 0) FROM record
                WHERE record.feed = feed.id AND deleted = 0
            )
            """,
        ]
    }
}

extension Migrations {
    /// The phone numbers and emails by which accounts can be found, and the outputs of the oblivious function for them.
    static func discovery(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            """
            CREATE TABLE identity (
                value TEXT NOT NULL PRIMARY KEY, account \(bytes) NOT NULL, created BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX identity_account ON identity (account)",
            // The accounts that do not want to be found.
            "CREATE TABLE hidden (account \(bytes) NOT NULL PRIMARY KEY)\(clustered)",
            // Each key has its own sequence. Until `current_since`, the key is being prepared: identities are
            // evaluated in order, and `reached` is the last one. `horizon` is the newest sequence of a purged entry.
            """
            CREATE TABLE discovery_key (
                id TEXT NOT NULL PRIMARY KEY, current_since BIGINT, ends BIGINT, sequence BIGINT NOT NULL,
                horizon BIGINT NOT NULL, reached TEXT NOT NULL
            )\(clustered)
            """,
            // The rows do not contain the identity. For a deleted identity, only the removal is kept, for devices
            // that have stored the entry. If an account does not want to be found, its rows count as removed but keep
            // the account.
            """
            CREATE TABLE evaluation (
                discovery_key TEXT NOT NULL, prefix BIGINT NOT NULL, tag BIGINT NOT NULL, account \(bytes),
                masked \(bytes) NOT NULL, sequence BIGINT NOT NULL, changed BIGINT NOT NULL, gone BIGINT NOT NULL,
                PRIMARY KEY (discovery_key, prefix, tag)
            )\(clustered)
            """,
            "CREATE INDEX evaluation_account ON evaluation (account) WHERE account IS NOT NULL",
            "CREATE INDEX evaluation_sequence ON evaluation (discovery_key, sequence)",
            "CREATE INDEX evaluation_gone ON evaluation (changed) WHERE gone = 1 AND account IS NULL",
            // The use of a daily quota by an account. Days are counted from 1970.
            """
            CREATE TABLE usage (
                account \(bytes) NOT NULL, kind TEXT NOT NULL, day BIGINT NOT NULL, amount BIGINT NOT NULL,
                PRIMARY KEY (account, kind, day)
            )\(clustered)
            """,
            "CREATE INDEX usage_day ON usage (day)",
        ]
    }

    /// The index contains all columns of an evaluation that a table of buckets needs, in the order in which they are
    /// read. The rows are stored in the order of their prefixes, so reading them by sequence would read a page for
    /// each row.
    static let evaluationOrder = [
        "DROP INDEX evaluation_sequence",
        "CREATE INDEX evaluation_sequence ON evaluation (discovery_key, sequence, gone, masked, prefix, tag)",
    ]
}

extension Migrations {
    /// The data of the network of people that is not in records.
    static func network(_ dialect: Dialect) -> [String] {
        [
            // The operator marks accounts of programs.
            "ALTER TABLE account ADD COLUMN is_bot BIGINT NOT NULL DEFAULT 0",
            // Finds the people who have an account among their contacts.
            "CREATE INDEX record_contact ON record (id, feed) WHERE collection = 'contact'",
            // The accounts whose change must still be propagated to other people: see `ProfileFanout`. `after` is the
            // last processed feed.
            """
            CREATE TABLE reach (
                account \(dialect.bytes) NOT NULL PRIMARY KEY, kind TEXT NOT NULL, queued BIGINT NOT NULL,
                after \(dialect.bytes) NOT NULL, again BIGINT NOT NULL
            )\(dialect.clustered)
            """,
        ]
    }

    /// Lists show the names of people's profiles. Each existing profile is propagated once.
    static let memberNames = [
        """
        INSERT INTO reach (account, kind, queued, after, again)
        SELECT feed, 'profile', 0, X'', 0 FROM record WHERE collection = 'profile' AND deleted = 0
        ON CONFLICT (account) DO NOTHING
        """
    ]

    /// The number of requests that wait for an answer, computed for existing feeds.
    static let waiting = [
        "ALTER TABLE feed ADD COLUMN waiting BIGINT NOT NULL DEFAULT 0",
        """
        UPDATE feed SET waiting = (
            SELECT COUNT(*) FROM record WHERE record.feed = feed.id AND collection = 'contact' AND deleted = 0
                AND fields LIKE '%"asked":%' AND fields NOT LIKE '%"isBlocked":true%'
                AND (fields NOT LIKE '%"wish":%' OR fields LIKE '%"wish":"none"%')
        ) WHERE kind = 'account'
        """,
    ]
}

extension Migrations {
    /// The pictures that people sent of themselves. The rows are stored in the order of their arrival, because they
    /// are large.
    static func pictures(_ dialect: Dialect) -> [String] {
        [
            // `is_named` says whether the account's profile names the picture. Other pictures are deleted after some
            // time.
            """
            CREATE TABLE picture (
                account \(dialect.bytes) NOT NULL, hash \(dialect.bytes) NOT NULL, type TEXT NOT NULL,
                size BIGINT NOT NULL, created BIGINT NOT NULL, is_named BIGINT NOT NULL, bytes \(dialect.bytes) NOT NULL,
                PRIMARY KEY (account, hash)
            )
            """,
            "CREATE INDEX picture_unnamed ON picture (created) WHERE is_named = 0",
        ]
    }

    /// The words of the names by which people can be found. The words are bytes, because their order is the same in
    /// every database, and a search reads a range of words.
    static func directory(_ dialect: Dialect) -> [String] {
        [
            """
            CREATE TABLE directory (
                word \(dialect.bytes) NOT NULL, account \(dialect.bytes) NOT NULL, PRIMARY KEY (word, account)
            )\(dialect.clustered)
            """,
            "CREATE INDEX directory_account ON directory (account, word)",
        ]
    }

    /// When an account was last seen online; null if it never was.
    static let presence = ["ALTER TABLE account ADD COLUMN seen_at BIGINT"]
}

extension Migrations {
    /// The invitations, their links, and the identities that accounts have proved since the background job last looked.
    static func invitations(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            // `step` is what the background job does next, from `due` on. `receiver` and `received` are the account and
            // the record of the recipient. `peer` is the account that has accepted the invitation.
            """
            CREATE TABLE invitation (
                account \(bytes) NOT NULL, id \(bytes) NOT NULL, recipient TEXT NOT NULL, state TEXT NOT NULL,
                expires BIGINT NOT NULL, message \(bytes), receiver \(bytes), received \(bytes), refused BIGINT,
                peer \(bytes), step TEXT, due BIGINT, PRIMARY KEY (account, id)
            )\(clustered)
            """,
            "CREATE INDEX invitation_recipient ON invitation (recipient) WHERE state = 'pending'",
            "CREATE INDEX invitation_due ON invitation (due) WHERE due IS NOT NULL",
            "CREATE INDEX invitation_message ON invitation (message) WHERE message IS NOT NULL",
            "CREATE INDEX invitation_received ON invitation (receiver, received) WHERE receiver IS NOT NULL",
            """
            CREATE TABLE invitation_link (
                hash \(bytes) NOT NULL PRIMARY KEY, account \(bytes) NOT NULL, id \(bytes) NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX invitation_link_invitation ON invitation_link (account, id)",
            "CREATE TABLE identity_news (value TEXT NOT NULL PRIMARY KEY)\(clustered)",
        ]
    }
}

extension Migrations {
    /// The hash of the network from which an invitation that is to be sent was ordered.
    static func networksOfInvitations(_ dialect: Dialect) -> [String] {
        ["ALTER TABLE invitation ADD COLUMN network \(dialect.bytes)"]
    }
}

extension Migrations {
    /// The messages on their way out, and the recipients who have unsubscribed.
    static func messages(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            // `state` is queued, sent or failed. The content is null unless the message is queued. `due` is the time of
            // the next attempt. `lease` names the worker that has the message until `leased_until`.
            """
            CREATE TABLE message (
                id \(bytes) NOT NULL PRIMARY KEY, channel TEXT NOT NULL, kind TEXT NOT NULL, language TEXT NOT NULL,
                sender \(bytes), recipient TEXT NOT NULL, recipient_hash \(bytes) NOT NULL,
                can_unsubscribe BIGINT NOT NULL, subject TEXT, body TEXT, html TEXT, unsubscribe TEXT,
                state TEXT NOT NULL, reason TEXT, detail TEXT, attempts BIGINT NOT NULL, created BIGINT NOT NULL,
                expires BIGINT NOT NULL, urgency BIGINT NOT NULL, due BIGINT NOT NULL, lease \(bytes),
                leased_until BIGINT NOT NULL
            )
            """,
            "CREATE INDEX message_due ON message (channel, urgency, due, id) WHERE state = 'queued'",
            "CREATE INDEX message_recipient ON message (recipient_hash, created)",
            "CREATE INDEX message_created ON message (created)",
            "CREATE INDEX message_sender ON message (sender) WHERE sender IS NOT NULL",
            """
            CREATE TABLE suppression (
                recipient \(bytes) NOT NULL, kind TEXT NOT NULL, since BIGINT NOT NULL, PRIMARY KEY (recipient, kind)
            )\(clustered)
            """,
        ]
    }
}

extension Migrations {
    /// The codes that prove numbers and emails, and the names of the devices of sessions.
    static func codes(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            // `subject` is a keyed hash of the identity. `opened` is what the code has given: the hash of the token of the
            // session that was opened with it, or of the id of the account that has the identity.
            """
            CREATE TABLE code (
                id \(bytes) NOT NULL PRIMARY KEY, account \(bytes) NOT NULL, session \(bytes) NOT NULL,
                network TEXT NOT NULL, identity TEXT, subject \(bytes) NOT NULL, hash \(bytes) NOT NULL, device TEXT,
                created BIGINT NOT NULL, tries BIGINT NOT NULL, tried BIGINT, is_used BIGINT NOT NULL, opened \(bytes)
            )\(clustered)
            """,
            "CREATE INDEX code_subject ON code (subject, created)",
            "CREATE INDEX code_account ON code (account, created)",
            "CREATE INDEX code_session ON code (session, created)",
            "CREATE INDEX code_network ON code (network, created)",
            "CREATE INDEX code_created ON code (created)",
            "ALTER TABLE session ADD COLUMN device TEXT",
        ]
    }
}

extension Migrations {
    /// The recovery codes of accounts.
    static func recovery(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            // `session` used the code, and `opened` was opened with it: the hashes of their tokens.
            """
            CREATE TABLE recovery (
                hash \(bytes) NOT NULL PRIMARY KEY, account \(bytes) NOT NULL, created BIGINT NOT NULL, used BIGINT,
                session \(bytes), opened \(bytes)
            )\(clustered)
            """,
            "CREATE INDEX recovery_account ON recovery (account)",
        ]
    }
}

extension Migrations {
    /// The pairings by which devices are added, and when sessions were last used.
    static func pairings(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            // `session` is the hash of the token of the session that made it, `used_by` of the one that has used it,
            // and `opened` of the one that was opened with it.
            """
            CREATE TABLE pairing (
                id \(bytes) NOT NULL PRIMARY KEY, account \(bytes) NOT NULL, session \(bytes) NOT NULL,
                hash \(bytes) NOT NULL UNIQUE, created BIGINT NOT NULL, device TEXT, used_by \(bytes), opened \(bytes)
            )\(clustered)
            """,
            "CREATE INDEX pairing_session ON pairing (session)",
            "CREATE INDEX pairing_account ON pairing (account)",
            "CREATE INDEX pairing_created ON pairing (created)",
            "ALTER TABLE session ADD COLUMN used BIGINT",
        ]
    }

    /// Accounts whose identities an operator has added or removed did not have the kind of their identities.
    private static let accountKinds = [
        """
        UPDATE account SET kind = CASE
            WHEN EXISTS (SELECT 1 FROM identity WHERE identity.account = account.id)
                OR EXISTS (SELECT 1 FROM issuer_identity WHERE issuer_identity.account = account.id)
                OR EXISTS (SELECT 1 FROM passkey WHERE passkey.account = account.id)
            THEN 'identified' ELSE 'anonymous' END
        """
    ]

    /// The number or email that the proved one replaces.
    static let identityChanges = ["ALTER TABLE code ADD COLUMN replaces TEXT"]

    /// The SMS of the last weeks by the prefixes of their numbers, and the paused prefixes.
    static func sms(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            // `id` is that of the message and of its code.
            """
            CREATE TABLE sms (
                id \(bytes) NOT NULL PRIMARY KEY, prefix TEXT NOT NULL, created BIGINT NOT NULL,
                is_code BIGINT NOT NULL, is_entered BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX sms_prefix ON sms (prefix, created)",
            "CREATE INDEX sms_created ON sms (created)",
            // A prefix is paused until `released`. Codes of before are not judged again.
            """
            CREATE TABLE prefix_pause (
                prefix TEXT NOT NULL PRIMARY KEY, paused BIGINT NOT NULL, entered BIGINT NOT NULL,
                judged BIGINT NOT NULL, is_told BIGINT NOT NULL, released BIGINT
            )\(clustered)
            """,
            "CREATE INDEX prefix_pause_released ON prefix_pause (released)",
        ]
    }

    /// The passkeys of accounts, and the ceremonies in which passkeys are added and used.
    static func passkeys(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            """
            CREATE TABLE passkey (
                id \(bytes) NOT NULL PRIMARY KEY, account \(bytes) NOT NULL, credential \(bytes) NOT NULL,
                algorithm BIGINT NOT NULL, public_key \(bytes) NOT NULL, sign_count BIGINT NOT NULL,
                is_eligible BIGINT NOT NULL, is_synced BIGINT NOT NULL, name TEXT, created BIGINT NOT NULL, used BIGINT
            )\(clustered)
            """,
            "CREATE UNIQUE INDEX passkey_credential ON passkey (credential)",
            "CREATE INDEX passkey_account ON passkey (account, created)",
            // `challenge` is null once it was used. `session`, `ticket`, `claim` and `opened` are hashes.
            """
            CREATE TABLE ceremony (
                id \(bytes) NOT NULL PRIMARY KEY, kind TEXT NOT NULL, account \(bytes), session \(bytes),
                network TEXT NOT NULL, place TEXT NOT NULL, name TEXT, challenge \(bytes), ticket \(bytes) NOT NULL,
                claim \(bytes), created BIGINT NOT NULL, is_done BIGINT NOT NULL, passkey \(bytes), opened \(bytes)
            )\(clustered)
            """,
            "CREATE UNIQUE INDEX ceremony_ticket ON ceremony (ticket)",
            "CREATE INDEX ceremony_created ON ceremony (created)",
            "CREATE INDEX ceremony_network ON ceremony (network, created)",
            "CREATE INDEX ceremony_session ON ceremony (session, created) WHERE session IS NOT NULL",
            "CREATE INDEX ceremony_account ON ceremony (account) WHERE account IS NOT NULL",
        ]
    }

    /// The identities of accounts at OpenID Connect issuers, and the sign-ins that were begun.
    static func issuers(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            """
            CREATE TABLE issuer_identity (
                issuer TEXT NOT NULL, subject TEXT NOT NULL, id \(bytes) NOT NULL, account \(bytes) NOT NULL,
                created BIGINT NOT NULL, PRIMARY KEY (issuer, subject)
            )\(clustered)
            """,
            "CREATE INDEX issuer_identity_account ON issuer_identity (account, created)",
            // `state` is a hash, and `session` the hash of a token.
            """
            CREATE TABLE issuer_login (
                state \(bytes) NOT NULL PRIMARY KEY, session \(bytes) NOT NULL, issuer TEXT NOT NULL,
                redirect TEXT NOT NULL, device TEXT, created BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX issuer_login_session ON issuer_login (session, created)",
            "CREATE INDEX issuer_login_created ON issuer_login (created)",
        ]
    }
}
