import Foundation
import KithModel

/// The load that a server accepts; see `Documentation/Protocol.md`, section "Limits".
public struct ServerLimits: Sendable {
    /// Requests of one session.
    public var session = Rate(perSecond: 20, burst: 200)
    /// Operator requests of one address: `/health`, `/ready` and `/metrics`.
    public var operating = Rate(perSecond: 100, burst: 1_000)
    /// New sessions of one address.
    public var newSessions = Rate(perSecond: 1, burst: 60)
    /// Requests of one address without a session.
    public var address = Rate(perSecond: 20, burst: 200)
    /// Concurrent requests. A request counts until its answer is written.
    public var requestsAtOnce = 1_000
    /// Numbers and emails that one account may evaluate per day for a lookup.
    public var evaluationsADay = 20_000
    /// How long a request may take to arrive.
    public var bodyTime = Limits.bodyTime
    /// Live streams of one session.
    public var streamsOfSession = 8
    /// Live streams in total.
    public var streamsAtOnce = 10_000

    /// Connections of one address. Connections of a trusted proxy do not count.
    public var connectionsOfAddress = 500
    /// Connections in total.
    public var connectionsAtOnce = 12_000
    /// Bytes of a body that are still read if the answer was sent before the body ended.
    public var drained = Limits.body
    /// Bytes of answers that wait to be written to one connection. The limit exceeds the largest answer, which has all
    /// records that `Limits.mutations` named.
    public var unwrittenOfConnection = 48 << 20
    /// Bytes of answers that wait to be written to one address.
    public var unwrittenOfAddress = 64 << 20
    /// Bytes of answers that wait to be written in total.
    public var unwrittenInAll = 512 << 20
    /// Bytes of bodies of one address that are being received or processed.
    public var bodiesOfAddress = 64 << 20
    /// Bytes of bodies that are being received or processed, in total.
    public var bodiesInAll = 256 << 20
    /// How long the server delays a refusal because of the rate limit. This limits the rate of refusals on a
    /// connection.
    public var refusalPause = Duration.seconds(1)
    /// The length of the window in which the read rate is measured.
    public var readingWindow = Duration.seconds(30)
    /// The minimum read rate of a client for which an answer waits, in bytes per second.
    public var slowestReader = 4 << 10

    /// Units of work of one session.
    public var sessionWork = Rate(perSecond: 4_000, burst: 200_000)
    /// Units of work of one address.
    public var addressWork = Rate(perSecond: 8_000, burst: 400_000)
    /// Concurrent large requests: half of the cores, so that the other half is free for small requests.
    public var heavyAtOnce = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    /// Large requests that wait to begin.
    public var heavyWaiting = 512
    /// Large requests of one address that wait to begin.
    public var heavyWaitingOfAddress = 64

    /// Bytes of the records of one account: the records of its own feed and of the lists that it owns.
    public var storageOfAccount = Limits.storage
    /// The part of the disk that stays free, in percent. Below it, writes are refused with 503.
    public var freeDisk = 5

    /// The defaults.
    public init() {}
}
