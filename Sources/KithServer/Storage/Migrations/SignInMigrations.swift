/// The tables of accounts, their sessions, and the ways to sign in.
enum SignInMigrations {
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

    /// Clears the names of the devices of accounts that were deleted before a deletion did it.
    static let devicesOfDeletedAccounts = [
        """
        UPDATE session SET device = NULL, used = NULL WHERE (device IS NOT NULL OR used IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM account WHERE account.id = session.account)
        """
    ]

    /// The number or email that the proved one replaces.
    static let identityChanges = ["ALTER TABLE code ADD COLUMN replaces TEXT"]

    /// The hash of the last wrong code, so that a check that is sent again counts once.
    static func wrongCodes(_ dialect: Dialect) -> [String] {
        ["ALTER TABLE code ADD COLUMN wrong \(dialect.bytes)"]
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

    /// Accounts whose identities an operator has added or removed did not have the kind of their identities.
    static let accountKinds = [
        """
        UPDATE account SET kind = CASE
            WHEN EXISTS (SELECT 1 FROM identity WHERE identity.account = account.id)
                OR EXISTS (SELECT 1 FROM issuer_identity WHERE issuer_identity.account = account.id)
                OR EXISTS (SELECT 1 FROM passkey WHERE passkey.account = account.id)
            THEN 'identified' ELSE 'anonymous' END
        """
    ]
}
