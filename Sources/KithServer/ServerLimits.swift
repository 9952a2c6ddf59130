import Foundation
import KithModel

/// How much a server takes on at once; see `Documentation/Protocol.md`, section "Limits".
public struct ServerLimits: Sendable {
    /// Requests of one session.
    public var session = Rate(perSecond: 20, burst: 200)
    /// Requests of one address that operators make: `/health`, `/ready` and `/metrics`.
    public var operating = Rate(perSecond: 100, burst: 1_000)
    /// Sessions that one address opens.
    public var newSessions = Rate(perSecond: 1, burst: 60)
    /// Requests of one address that have no session.
    public var address = Rate(perSecond: 20, burst: 200)
    /// Requests that are worked on at once. A request counts until its answer is written.
    public var requestsAtOnce = 1_000
    /// Numbers and emails that one account may have evaluated in a day, to look for them.
    public var evaluationsADay = 20_000
    /// How long a request may take to arrive.
    public var bodyTime = Limits.bodyTime
    /// Live streams of one session.
    public var streamsOfSession = 8
    /// Live streams in all.
    public var streamsAtOnce = 10_000

    /// Connections of one address. Those of a trusted proxy are not counted.
    public var connectionsOfAddress = 500
    /// Connections in all.
    public var connectionsAtOnce = 12_000
    /// Bytes of a body that are still read after an answer that did not wait for it.
    public var drained = Limits.body
    /// Bytes of answers that wait to be written to one connection: more than the largest answer, which has all records that
    /// ``Limits/mutations`` named.
    public var unwrittenOfConnection = 48 << 20
    /// Bytes of answers that wait to be written to one address.
    public var unwrittenOfAddress = 64 << 20
    /// Bytes of answers that wait to be written in all.
    public var unwrittenInAll = 512 << 20
    /// Bytes of bodies of one address that are received or worked on.
    public var bodiesOfAddress = 64 << 20
    /// Bytes of bodies that are received or worked on, in all.
    public var bodiesInAll = 256 << 20
    /// How long a refusal for asking too fast is held back, so that no connection is refused more often than that.
    public var refusalPause = Duration.seconds(1)
    /// How long a window is in which the rate of reading is measured.
    public var readingWindow = Duration.seconds(30)
    /// Bytes a second that a client must read while an answer waits to be written to it.
    public var slowestReader = 4 << 10

    /// Units of work of one session.
    public var sessionWork = Rate(perSecond: 2_000, burst: 100_000)
    /// Units of work of one address.
    public var addressWork = Rate(perSecond: 8_000, burst: 400_000)
    /// Large requests that are worked on at once: half of the cores, so that the other half is for small ones.
    public var heavyAtOnce = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    /// Large requests that wait for their turn.
    public var heavyWaiting = 512
    /// Large requests of one address that wait for their turn.
    public var heavyWaitingOfAddress = 64

    /// Bytes of the records of one account: those of its own feed and of the lists that it owns.
    public var storageOfAccount = Limits.storage
    /// Percent of the disk that stay free. Below, writes get 503.
    public var freeDisk = 5

    /// The defaults.
    public init() {}
}
