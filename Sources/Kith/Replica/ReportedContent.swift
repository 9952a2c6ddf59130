/// The content of one subject, such as the lists or the network, as it was last reported.
///
/// ``ExternalChanges`` compares it with the database, to find out what another process has changed.
protocol ReportedContent: Sendable {
    /// Content of which nothing has been reported yet.
    init()

    /// Notes a change that this process has made and reports.
    mutating func note(_ announcement: Announcement)

    /// Replaces the content by what the database has.
    ///
    /// - Returns: The differences.
    mutating func take(_ reading: ReplicaReading, origin: ChangeOrigin) throws -> [Announcement]

    /// Replaces the part of the content that changes without an announcement.
    ///
    /// - Returns: The differences.
    mutating func takeUnannounced(_ reading: ReplicaReading) throws -> [Announcement]

    /// A stream that yields after each unannounced change in this process; nil if all changes are announced.
    static func unannouncedChanges(in replica: Replica) -> AsyncStream<Void>?
}

// The default, for content whose changes are all announced.
extension ReportedContent {
    mutating func takeUnannounced(_ reading: ReplicaReading) throws -> [Announcement] { [] }
    static func unannouncedChanges(in replica: Replica) -> AsyncStream<Void>? { nil }
}
