/// The intervals of the messages between nodes.
package struct NodeTimes: Hashable, Sendable {
    /// How long a node gathers signals after it has sent some. If it has sent nothing for this long, it sends at once.
    package var gathering: Duration = .milliseconds(8)
    /// How long to wait after signals could not be sent.
    package var retrying: Duration = .milliseconds(200)
    /// How often a node writes a heartbeat and looks for what it has missed.
    package var poll: Duration = .seconds(2)
    /// How long a node counts as running without a heartbeat.
    package var lease: Duration = .seconds(10)
    /// After which silence a listening connection is checked.
    package var checking: Duration = .seconds(5)

    package init() {}

    /// How long the signals stay stored that no other table shows. A node that was cut off for longer ends its streams.
    static let kept = Duration.seconds(600)
}
