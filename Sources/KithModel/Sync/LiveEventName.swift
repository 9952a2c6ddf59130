/// The name of an event of a device's live stream, `GET /v1/live`. Devices ignore other names, which newer servers may send.
package enum LiveEventName: String, Sendable {
    /// The first event: reads after it and the later events together miss nothing.
    case hello
    /// The feeds of ``FeedsMoved`` have changes to read; any feed may have some if none is named.
    case moved
    /// Who is online: first everyone who is, then the people whose presence has changed (``PresenceEvent``).
    case presence
    /// The account's list of sessions has changed, for example because a device was added.
    case sessions
}
