/// Decides how many waiting writes share a commit of SQLite.
///
/// Their authors are answered after the commit, and send nothing until then. If one commit took all waiting writes, the
/// database and the devices would work in turns. So a commit takes few writes while the disk is fast: the others already
/// wait when these are answered. It takes more while the disk is slow, because they share the wait for it.
package struct CommitPlan: Sendable {
    /// The maximum number of writes of one commit.
    package static let writes = 128
    /// The time for the writes of one commit on a fast disk.
    package static let least = Duration.milliseconds(2)
    /// The maximum time for the writes of one commit.
    package static let most = Duration.milliseconds(100)

    /// How long the writes of the next commit may take together. No write begins later, but the first always does.
    package private(set) var timeOfWrites = least

    package init() {}

    /// Takes note of how long the last commit took, which is mostly the wait for the disk. The next writes may take twice
    /// that time.
    package mutating func committed(in time: Duration) {
        timeOfWrites = min(max(Self.least, time * 2), Self.most)
    }
}
