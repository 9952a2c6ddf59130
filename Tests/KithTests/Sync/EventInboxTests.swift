import Kith
import Testing

@Suite("The inbox of the loop") struct EventInboxTests {
    private let inbox = EventInbox<SyncMachine.Event>()

    private var taken: [SyncMachine.Event] {
        var events: [SyncMachine.Event] = []
        while let event = inbox.take() { events.append(event) }
        return events
    }

    @Test("Each event waits once, and none is lost among the others") func coalescing() {
        inbox.put(.rate(.off))
        for _ in 0..<2_000 {
            inbox.put(.edited)
            inbox.put(.moved)
        }
        #expect(taken == [.rate(.off), .edited, .moved])
        #expect(taken.isEmpty)
    }

    @Test("A live stream that has closed and opened again is not taken for one that has stayed open") func reopened() {
        for isOpen in [false, true, false, true] { inbox.put(.live(isOpen)) }
        #expect(taken == [.live(false), .live(true)])
    }

    @Test("What came last counts") func lastRate() {
        for rate in [SyncRate.slow, .off, .slow] { inbox.put(.rate(rate)) }
        #expect(taken == [.rate(.off), .rate(.slow)])
    }

    @Test("The bell rings for events that came before anybody listened") func bell() async {
        for _ in 0..<3 { inbox.put(.edited) }
        var rings = inbox.bell.makeAsyncIterator()
        let ring: Void? = await rings.next()
        #expect(ring != nil && taken == [.edited])
    }
}
