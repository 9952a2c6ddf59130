import KithServer
import Testing

@Suite("Time limits of a connection") struct ConnectionWatchTests {
    private static let limits = ConnectionWatch.Limits(
        idle: .seconds(60), requestTime: .seconds(30), grace: .seconds(5), drained: 1_000, unwritten: 10_000_000,
        window: .seconds(30), slowest: 4_096)

    private func watch() -> ConnectionWatch { ConnectionWatch(Self.limits, at: .zero) }

    @Test("An answer of 4 MiB that is read at 15 KB a second is read to its end")
    func slowReader() {
        var watch = watch()
        watch.received(at: .zero)
        watch.requestBegan(at: .zero)
        watch.requestEnded()
        watch.answerEnded(at: .zero)
        #expect(watch.queued(4 << 20, at: .zero) == nil)
        var second = 0
        while watch.unwritten > 0 {
            second += 1
            // The kernel takes more in lumps.
            if second.isMultiple(of: 9) { watch.written(min(9 * 15_000, watch.unwritten), at: .seconds(second)) }
            #expect(watch.reasonToClose(at: .seconds(second)) == nil)
        }
        #expect(second >= 279)
    }

    @Test("A reader below the minimum rate is disconnected after one window, however much it has read before")
    func tooSlow() {
        var watch = watch()
        #expect(watch.queued(1_000_000, at: .zero) == nil)
        watch.written(500_000, at: .seconds(20))
        #expect(watch.reasonToClose(at: .seconds(30)) == nil)
        for second in 31...59 {
            watch.written(4_000, at: .seconds(second))
            #expect(watch.reasonToClose(at: .seconds(second)) == nil)
        }
        #expect(watch.reasonToClose(at: .seconds(60)) == .slowReader)
    }

    @Test("A live stream whose events are read is left alone; one whose events are not read is not")
    func stream() {
        var watch = watch()
        watch.requestBegan(at: .zero)
        watch.requestEnded()
        for minute in 1...100 {
            let now = Duration.seconds(60 * minute)
            #expect(watch.queued(20, at: now) == nil)
            watch.written(20, at: now)
            #expect(watch.reasonToClose(at: now + .seconds(59)) == nil)
        }
        #expect(watch.queued(20, at: .seconds(7_000)) == nil)
        #expect(watch.reasonToClose(at: .seconds(7_029)) == nil)
        #expect(watch.reasonToClose(at: .seconds(7_030)) == .slowReader)
    }

    @Test("Trap: A line break after the request of a live stream is not the slow beginning of another request")
    func strayLine() {
        var (before, during, body) = (watch(), watch(), watch())
        before.received(at: .zero)
        before.requestBegan(at: .zero)
        before.requestEnded()
        before.received(at: .seconds(1))
        before.streamBegan()
        #expect(before.reasonToClose(at: .seconds(50)) == nil)

        during.requestBegan(at: .zero)
        during.requestEnded()
        during.streamBegan()
        during.received(at: .seconds(1))
        #expect(during.reasonToClose(at: .seconds(50)) == nil)

        body.requestBegan(at: .zero)
        body.streamBegan()
        body.received(at: .seconds(1))
        #expect(body.reasonToClose(at: .seconds(35)) == .slowRequest, "A body that does not end is one.")
    }

    @Test("What a client sends during a live stream is limited, and nothing else by that")
    func duringStream() {
        var watch = watch()
        #expect(watch.bytesCame(10 << 20) == nil, "A body has limits of its own.")
        watch.requestBegan(at: .zero)
        watch.requestEnded()
        watch.streamBegan()
        #expect(watch.bytesCame(ConnectionWatch.duringStream) == nil && watch.bytesCame(1) == .longBody)
    }

    @Test("A request arrives within its time: head, body, and after an early answer")
    func slowRequest() {
        var (head, body, early) = (watch(), watch(), watch())
        for second in 0..<30 { head.received(at: .seconds(second)) }
        #expect(head.reasonToClose(at: .milliseconds(29_900)) == nil)
        #expect(head.reasonToClose(at: .seconds(30)) == .slowRequest)

        body.received(at: .seconds(1))
        body.requestBegan(at: .seconds(1))
        for second in 2..<36 { body.received(at: .seconds(second)) }
        #expect(body.bodyCame(5_000) == nil, "Who answers says how much is too much.")
        #expect(body.reasonToClose(at: .seconds(35)) == nil, "There is a moment for the answer that says so.")
        #expect(body.reasonToClose(at: .seconds(36)) == .slowRequest)

        early.received(at: .zero)
        early.requestBegan(at: .zero)
        early.answerEnded(at: .zero)
        #expect(early.bodyCame(1_000) == nil && early.bodyCame(1) == .longBody)
        for second in 1..<30 { early.received(at: .seconds(second)) }
        #expect(early.reasonToClose(at: .seconds(30)) == .slowRequest)
    }

    @Test("Each request has its own time limit, and a slow answer does not count as a slow request")
    func nextRequest() {
        var watch = watch()
        for start in [0, 40, 80] {
            watch.received(at: .seconds(start))
            watch.requestBegan(at: .seconds(start))
            watch.requestEnded()
            #expect(watch.reasonToClose(at: .seconds(start + 39)) == nil)
            watch.answerEnded(at: .seconds(start + 39))
        }
        #expect(watch.reasonToClose(at: .seconds(178)) == nil)
        #expect(watch.reasonToClose(at: .seconds(179)) == .idle)
    }

    @Test("Unwritten bytes are bounded")
    func unwritten() {
        var watch = watch()
        #expect(watch.queued(10_000_000, at: .zero) == nil)
        #expect(watch.queued(1, at: .zero) == .unwritten)
    }
}
