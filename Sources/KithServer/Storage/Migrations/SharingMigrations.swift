/// The tables of programmes, of what people share, and of what that brings.
enum SharingMigrations {
    /// Programmes, codes, shares, and what they have brought.
    static func sharing(_ dialect: Dialect) -> [String] {
        shares(dialect) + referrals(dialect) + funnel(dialect)
    }

    private static func shares(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            """
            CREATE TABLE programme (
                name TEXT NOT NULL PRIMARY KEY, json TEXT NOT NULL, is_paused BIGINT NOT NULL, created BIGINT NOT NULL,
                changed BIGINT NOT NULL
            )\(clustered)
            """,
            // A row is kept for ever, so that a link never leads to somebody else. `account`, `record` and `network` are null
            // once the account was deleted. `network` is a keyed hash.
            """
            CREATE TABLE share_code (
                key TEXT NOT NULL PRIMARY KEY, account \(bytes), record \(bytes), programme TEXT NOT NULL, network \(bytes),
                made BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX share_code_account ON share_code (account)",
            // Counts the shareables of an account.
            "CREATE INDEX record_shareable ON record (feed) WHERE collection = 'shareable' AND deleted = 0",
            // `record` is the shareable. `message` is the email.
            """
            CREATE TABLE share (
                account \(bytes) NOT NULL, id \(bytes) NOT NULL, record \(bytes) NOT NULL, programme TEXT NOT NULL,
                channel TEXT NOT NULL, recipient TEXT, network \(bytes), shared BIGINT NOT NULL, message \(bytes),
                PRIMARY KEY (account, id)
            )\(clustered)
            """,
            "CREATE INDEX share_recipient ON share (recipient) WHERE recipient IS NOT NULL",
            "CREATE INDEX share_message ON share (message) WHERE message IS NOT NULL",
            """
            CREATE TABLE claim (
                account \(bytes) NOT NULL, id \(bytes) NOT NULL, key TEXT NOT NULL, used BIGINT NOT NULL, channel TEXT,
                network \(bytes), is_open BIGINT NOT NULL, PRIMARY KEY (account, id)
            )\(clustered)
            """,
            // What the background job does. `due` is when.
            """
            CREATE TABLE sharing_work (
                account \(bytes) NOT NULL, record \(bytes) NOT NULL, kind TEXT NOT NULL, due BIGINT NOT NULL,
                PRIMARY KEY (account, record, kind)
            )\(clustered)
            """,
            "CREATE INDEX sharing_work_due ON sharing_work (due)",
        ]
    }

    private static func referrals(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            // The accounts that have signed up. `due` is null once it was decided who has brought them.
            """
            CREATE TABLE sign_up (account \(bytes) NOT NULL PRIMARY KEY, joined BIGINT NOT NULL, due BIGINT)\(clustered)
            """,
            "CREATE INDEX sign_up_due ON sign_up (due) WHERE due IS NOT NULL",
            "INSERT INTO sign_up (account, joined) SELECT id, created FROM account WHERE kind = 'identified'",
            // Who has brought an account. `source` is the shareable or the share, and `record` the advocate's referral.
            """
            CREATE TABLE attribution (
                account \(bytes) NOT NULL, programme TEXT NOT NULL, advocate \(bytes) NOT NULL, source \(bytes) NOT NULL,
                basis TEXT NOT NULL, channel TEXT NOT NULL, shared BIGINT NOT NULL, joined BIGINT NOT NULL,
                bound BIGINT NOT NULL, is_same_network BIGINT NOT NULL, record \(bytes) NOT NULL,
                PRIMARY KEY (account, programme)
            )\(clustered)
            """,
            "CREATE INDEX attribution_advocate ON attribution (advocate, programme, bound)",
            // A row is a decision about rewards. `state` is held, granted or refused, and `reasons` is a list of words. `due`
            // is when a held one is decided.
            """
            CREATE TABLE referral (
                id \(bytes) NOT NULL PRIMARY KEY, programme TEXT NOT NULL, advocate \(bytes) NOT NULL,
                friend \(bytes) NOT NULL, event TEXT NOT NULL, record \(bytes) NOT NULL, occurred BIGINT NOT NULL,
                state TEXT NOT NULL, reasons TEXT NOT NULL, until BIGINT, due BIGINT, decided BIGINT,
                is_by_operator BIGINT NOT NULL, UNIQUE (programme, friend, event)
            )\(clustered)
            """,
            "CREATE INDEX referral_due ON referral (due) WHERE due IS NOT NULL",
            "CREATE INDEX referral_state ON referral (state, occurred)",
            // The people who were referred, by keyed hashes of their mailboxes and numbers.
            """
            CREATE TABLE referred (
                programme TEXT NOT NULL, person \(bytes) NOT NULL, account \(bytes) NOT NULL,
                PRIMARY KEY (programme, person)
            )\(clustered)
            """,
            """
            CREATE TABLE reward (
                referral \(bytes) NOT NULL, side TEXT NOT NULL, account \(bytes) NOT NULL, programme TEXT NOT NULL,
                record \(bytes) NOT NULL, granted BIGINT NOT NULL, PRIMARY KEY (referral, side)
            )\(clustered)
            """,
            "CREATE INDEX reward_account ON reward (account, programme)",
        ]
    }

    private static func funnel(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            // The visitors of a day, by hashes with a key that is forgotten with the day.
            "CREATE TABLE visit (day BIGINT NOT NULL, hash \(bytes) NOT NULL, PRIMARY KEY (day, hash))\(clustered)",
            // `day` is counted from 1970.
            """
            CREATE TABLE funnel (
                programme TEXT NOT NULL, day BIGINT NOT NULL, channel TEXT NOT NULL, step TEXT NOT NULL,
                amount BIGINT NOT NULL, PRIMARY KEY (programme, day, channel, step)
            )\(clustered)
            """,
        ]
    }

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

    /// An index that counts those who have joined a programme within some minutes.
    static let joins = ["CREATE INDEX attribution_bound ON attribution (programme, bound, account)"]
}
