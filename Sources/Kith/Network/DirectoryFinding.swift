/// The result of a search in the directory.
public struct DirectoryFinding: Hashable, Sendable {
    /// The matching people, ordered by name; at most `Limits.directory`.
    public let people: [Person]
    /// Whether there are more matches than `people` contains. A longer name finds fewer.
    public let hasMore: Bool
}
