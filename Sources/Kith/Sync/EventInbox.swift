import Synchronization

/// The events that wait for a machine. Each different event waits once, in the place of its last coming.
///
/// Thousands of edits can come during one round, and the machine needs to hear of one. Nothing is lost among them: an event
/// that nothing repeats, such as a change of the sync rate, waits until it is taken.
package final class EventInbox<Event: Equatable & Sendable>: Sendable {
    /// Yields when an event has come. Take all of them then.
    package let bell: AsyncStream<Void>
    private let ringing: AsyncStream<Void>.Continuation
    private let waiting = Mutex<[Event]>([])

    package init() {
        (bell, ringing) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Lets an event wait.
    package func put(_ event: Event) {
        waiting.withLock { waiting in
            waiting.removeAll { $0 == event }
            waiting.append(event)
        }
        ringing.yield()
    }

    /// The event that has waited longest; nil if none waits.
    package func take() -> Event? {
        waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
