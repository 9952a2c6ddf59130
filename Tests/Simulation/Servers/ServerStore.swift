import KithServer

/// The database of one simulated server, with its crashes and its backup.
protocol ServerStore: AnyObject {
    /// The database as it is now. A restore can replace it.
    var database: any ImmediateDatabase { get }
    /// Whether there is a backup.
    var hasBackup: Bool { get }

    /// Makes a backup of the content.
    func backUp() throws

    /// Replaces the content by that of the backup, which is then used up, and starts a new epoch.
    func restore() throws

    /// Lets later worlds use what the database consists of. Nothing may use it any more.
    func end()
}
