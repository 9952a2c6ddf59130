/// The columns and tables that keep the servers of a device's accounts apart.
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
