/// The tables of emails and SMS.
enum MessageMigrations {
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
}
