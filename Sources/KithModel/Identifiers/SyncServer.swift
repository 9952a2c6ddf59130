/// The type that a ``ServerID`` identifies: one server with its database, whatever its address.
public enum SyncServer {}

/// The identity of a server. It is created once and stored in the server's database, so that a server is recognized
/// after it has moved or was restored.
public typealias ServerID = RecordID<SyncServer>
