/// The tables of invitations.
enum InvitationMigrations {
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

    /// The hash of the network from which an invitation that is to be sent was ordered.
    static func networksOfInvitations(_ dialect: Dialect) -> [String] {
        ["ALTER TABLE invitation ADD COLUMN network \(dialect.bytes)"]
    }

    /// The last turns of accounts in the background jobs of invitations and of sharing.
    static func workTurns(_ dialect: Dialect) -> [String] {
        [
            // `due` is the time of the turn.
            """
            CREATE TABLE work_turn (
                account \(dialect.bytes) NOT NULL, job TEXT NOT NULL, due BIGINT NOT NULL, PRIMARY KEY (account, job)
            )\(dialect.clustered)
            """,
            "CREATE INDEX work_turn_due ON work_turn (due)",
        ]
    }
}
