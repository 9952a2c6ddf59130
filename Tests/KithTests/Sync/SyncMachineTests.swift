import Kith
import KithModel
import Testing

@Suite("The sync machine") struct SyncMachineTests {
    typealias Machine = SyncMachine

    /// The database that the machine asks, and the network that a test breaks and heals.
    private struct World {
        var now = Timestamp(milliseconds: 1_800_000_000_000)
        var session = SessionState.anonymous
        var waiting: [Timestamp] = []
        var lastRound: Timestamp?
        var schedule = RetrySchedule()
        var isOffline = false
        var random: SplitMix64
        var machine = Machine()
        var roundsMade = 0

        init(seed: UInt64) { random = SplitMix64(seed: seed) }

        var situation: Machine.Situation {
            Machine.Situation(
                now: now, session: session, oldestWaiting: waiting.min(),
                lastRound: lastRound, schedule: schedule, isOffline: isOffline)
        }

        /// Does what the machine asks for, until it waits.
        mutating func obey(_ first: Machine.Event, works: Bool) -> Machine.Action {
            var event = first
            for _ in 0..<100 {
                let action = machine.handle(event, in: situation)
                switch action {
                case .wait, .rest: return action
                case .openSession where works:
                    session = .anonymous
                    schedule.succeed()
                    event = .ended(.again)
                case .round where works:
                    roundsMade += 1
                    waiting = []
                    lastRound = now
                    schedule.succeed()
                    event = .ended(.done)
                case .openSession, .round:
                    schedule.fail(at: now, retryAfter: nil, using: &random)
                    event = .failed
                }
            }
            Issue.record("The machine does not come to rest.")
            return .rest
        }
    }

    @Test("An edit made at any moment is sent once the network heals", arguments: 0..<300 as Range<UInt64>)
    func noWakeIsLost(seed: UInt64) {
        var world = World(seed: seed)
        world.session = Bool.random(using: &world.random) ? .initial : .anonymous
        _ = world.obey(.start, works: Bool.random(using: &world.random))
        for _ in 0..<60 {
            let event =
                [Machine.Event.edited, .edited, .moved, .tick, .live(true), .live(false), .signedIn]
                .randomElement(using: &world.random) ?? .tick
            if event == .edited { world.waiting.append(world.now) }
            _ = world.obey(event, works: Int.random(in: 0..<3, using: &world.random) == 0)
            // The device's clock goes on, and now and then jumps.
            let step = Int64.random(in: 0..<5_000, using: &world.random)
            let jump: Int64 = Int.random(in: 0..<20, using: &world.random) == 0 ? -86_400_000 : 0
            world.now = world.now + .milliseconds(step + jump)
        }
        // The network heals. Only the timers that the machine asked for wake it; some wake-ups were lost before.
        var action = world.obey(.tick, works: true)
        var timers = 0
        while case .wait(let until) = action, !world.waiting.isEmpty, timers < 10 {
            world.now = max(world.now, until)
            action = world.obey(.tick, works: true)
            timers += 1
        }
        #expect(world.waiting.isEmpty)
        #expect(timers <= 2)
    }

    @Test("Trap: The engine hangs on an in-memory wake-up – any event looks at the database again")
    func recomputed() {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        world.waiting = [world.now]
        // Nobody told the machine of the edit. A tick, or any other event, finds it.
        for event in [Machine.Event.tick, .edited, .live(false)] {
            #expect(world.machine.handle(event, in: world.situation) == .wait(until: world.now + .milliseconds(500)))
        }
    }

    @Test("An edit made while a round runs starts another") func editDuringRound() {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        world.waiting = [world.now]
        world.now = world.now + .milliseconds(500)
        #expect(world.machine.handle(.tick, in: world.situation) == .round)
        let second = world.now
        world.waiting = [second]
        world.lastRound = world.now
        #expect(world.machine.handle(.ended(.done), in: world.situation) == .wait(until: second + .milliseconds(500)))
    }

    @Test(
        "Another round follows at once if there is more to read, and after a stale answer",
        arguments: [Rounds.Next.again, .stale])
    func again(next: Rounds.Next) {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        #expect(world.machine.handle(.ended(next), in: world.situation) == .round)
    }

    @Test(
        "Edits wait for a pause in typing: half a second, or ten at the slow rate",
        arguments: [SyncRate.default, .slow])
    func quiet(rate: SyncRate) {
        var world = World(seed: 1)
        world.machine = Machine(rate: rate)
        _ = world.obey(.start, works: true)
        world.waiting = [world.now]
        let pause: Duration = rate == .slow ? .seconds(10) : .milliseconds(500)
        #expect(world.machine.handle(.edited, in: world.situation) == .wait(until: world.now + pause))
    }

    @Test("Changes are polled each minute, each ten minutes at the slow rate, each fifteen with a live stream")
    func polls() {
        var world = World(seed: 1)
        #expect(world.obey(.start, works: true) == .wait(until: world.now + .seconds(60)))
        #expect(world.obey(.live(true), works: true) == .wait(until: world.now + .minutes(15)))
        #expect(world.obey(.live(false), works: true) == .wait(until: world.now + .seconds(60)))
        #expect(world.obey(.rate(.slow), works: true) == .wait(until: world.now + .minutes(10)))
    }

    @Test("A signal of the live stream starts a round at once") func moved() {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        #expect(world.machine.handle(.moved, in: world.situation) == .round)
    }

    @Test("When the live stream opens, a round reads what was missed") func opened() {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        let made = world.roundsMade
        _ = world.obey(.live(true), works: true)
        #expect(world.roundsMade == made + 1)
        _ = world.obey(.live(true), works: true)
        #expect(world.roundsMade == made + 1)
    }

    @Test("At the rate off nothing is sent; waiting edits are sent when the rate is raised") func off() {
        var world = World(seed: 1)
        world.machine = Machine(rate: .off)
        #expect(world.obey(.start, works: true) == .rest)
        world.waiting = [world.now]
        world.now = world.now + .minutes(60)
        #expect(world.obey(.edited, works: true) == .rest)
        #expect(world.roundsMade == 0)
        _ = world.obey(.rate(.default), works: true)
        #expect(world.roundsMade == 1)
    }

    @Test(
        "A signed-out account sends nothing until it is signed in",
        arguments: [SessionState.loggedOut, .invalidToken, .inactive])
    func signedOut(state: SessionState) {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        world.session = state
        world.waiting = [world.now]
        for event in [Machine.Event.edited, .tick, .moved, .live(true)] {
            #expect(world.obey(event, works: true) == .rest)
        }
        world.session = .anonymous
        #expect(world.machine.handle(.signedIn, in: world.situation) == .round)
    }

    @Test("The first thing a new device does is open a session, then a round") func first() {
        var world = World(seed: 1)
        world.session = .initial
        #expect(world.machine.handle(.start, in: world.situation) == .openSession)
        world.session = .anonymous
        #expect(world.machine.handle(.ended(.again), in: world.situation) == .round)
    }

    @Test(
        "After a failure of the server nothing is sent before the time that the database has, whatever happens meanwhile"
    )
    func retries() {
        var world = World(seed: 1)
        world.waiting = [world.now]
        world.schedule = RetrySchedule(attempt: 3, retryAt: world.now + .seconds(20))
        for event in [Machine.Event.start, .edited, .moved, .live(true), .tick] {
            #expect(world.machine.handle(event, in: world.situation) == .wait(until: world.now + .seconds(20)))
        }
        world.now = world.now + .seconds(20)
        #expect(world.machine.handle(.tick, in: world.situation) == .round)
    }

    @Test("Trap: The network returns minutes before the next attempt – an edit makes one, but not twice in ten seconds")
    func impatience() {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        world.waiting = [world.now]
        world.isOffline = true
        let retry = world.now + .minutes(10)
        world.schedule = RetrySchedule(attempt: 8, retryAt: retry)
        for pause in [Duration.zero, .milliseconds(9_999)] {
            world.now = world.now + pause
            #expect(world.machine.handle(.edited, in: world.situation) == .wait(until: retry))
        }
        world.now = world.now + .milliseconds(1)
        for event in [Machine.Event.tick, .live(false)] {
            #expect(world.machine.handle(event, in: world.situation) == .wait(until: retry))
        }
        #expect(world.machine.handle(.edited, in: world.situation) == .round)
        #expect(world.machine.handle(.failed, in: world.situation) == .wait(until: retry))
        world.now = world.now + .seconds(9)
        #expect(world.machine.handle(.edited, in: world.situation) == .wait(until: retry))
        world.now = world.now + .seconds(1)
        // It still waits for a pause in typing, and then for nothing else.
        world.waiting = [world.now]
        let due = world.now + .milliseconds(500)
        #expect(world.machine.handle(.edited, in: world.situation) == .wait(until: due))
        #expect(world.machine.handle(.tick, in: world.situation) == .wait(until: due))
        world.now = due
        #expect(world.machine.handle(.tick, in: world.situation) == .round)
        #expect(world.machine.handle(.failed, in: world.situation) == .wait(until: retry))
    }

    @Test("Trap: The network returns with the edit, and the server asks to wait – the edit's attempt waits as well")
    func patience() {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        world.now = world.now + .seconds(10)
        world.isOffline = true
        world.schedule = RetrySchedule(attempt: 8, retryAt: world.now + .minutes(10))
        world.waiting = [world.now]
        let due = world.now + .milliseconds(500)
        #expect(world.machine.handle(.edited, in: world.situation) == .wait(until: due))
        // A call of `syncNow` meanwhile.
        world.isOffline = false
        let retry = world.now + .minutes(60)
        world.schedule = RetrySchedule(attempt: 9, retryAt: retry)
        world.now = due
        #expect(world.machine.handle(.tick, in: world.situation) == .wait(until: retry))
    }

    @Test("If the loop has made no attempt yet, an edit makes one, whatever time is stored") func firstAttempt() {
        var world = World(seed: 1)
        world.schedule = RetrySchedule(attempt: 8, retryAt: world.now + .minutes(10))
        #expect(world.machine.handle(.start, in: world.situation) == .wait(until: world.now + .minutes(10)))
        // A call of `syncNow` meanwhile.
        world.isOffline = true
        world.waiting = [world.now]
        #expect(world.machine.handle(.edited, in: world.situation) == .round)
    }

    @Test("Trap: The server returns minutes before the next attempt – a live stream that opens makes one, and one only")
    func openedStream() {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        world.isOffline = true
        let retry = world.now + .minutes(10)
        world.schedule = RetrySchedule(attempt: 8, retryAt: retry)
        world.now = world.now + .seconds(10)
        #expect(world.machine.handle(.live(true), in: world.situation) == .round)
        #expect(world.machine.handle(.failed, in: world.situation) == .wait(until: retry))
        for event in [Machine.Event.live(true), .moved, .live(false)] {
            #expect(world.machine.handle(event, in: world.situation) == .wait(until: retry))
        }
        // A stream that opens and ends again and again makes an attempt in ten seconds at most.
        let due = world.now + .seconds(10)
        world.now = world.now + .seconds(1)
        for event in [Machine.Event.live(true), .live(false), .live(true), .tick] {
            #expect(world.machine.handle(event, in: world.situation) == .wait(until: due))
        }
        world.now = due
        #expect(world.machine.handle(.tick, in: world.situation) == .round)
    }

    @Test("A live stream that opens makes no attempt before the time that a busy server has named") func busyStream() {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        world.isOffline = true
        world.schedule = RetrySchedule(attempt: 1, retryAt: world.now + .minutes(10))
        let due = world.now + .seconds(10)
        #expect(world.machine.handle(.live(true), in: world.situation) == .wait(until: due))
        // A call of `syncNow` meanwhile.
        world.isOffline = false
        let retry = world.now + .minutes(60)
        world.schedule = RetrySchedule(attempt: 2, retryAt: retry)
        world.now = due
        for event in [Machine.Event.tick, .live(false), .live(true)] {
            #expect(world.machine.handle(event, in: world.situation) == .wait(until: retry))
        }
    }

    @Test("Another network starts a round at once, except before the time that a busy server has named")
    func networkChanged() {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        world.now = world.now + .seconds(2)
        #expect(world.machine.handle(.networkChanged, in: world.situation) == .round)
        world.schedule = RetrySchedule(attempt: 1, retryAt: world.now + .minutes(2))
        #expect(
            world.machine.handle(.networkChanged, in: world.situation) == .wait(until: world.now + .minutes(2)))
    }

    @Test(
        "Trap: A network is reported right after a round, or comes and goes – there is a round in two seconds at most")
    func networkFlaps() {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        let poll = world.now + .seconds(60)
        for pause in [Duration.zero, .milliseconds(1_999)] {
            world.now = world.now + pause
            #expect(world.machine.handle(.networkChanged, in: world.situation) == .wait(until: poll))
        }
        world.now = world.now + .milliseconds(1)
        #expect(world.machine.handle(.networkChanged, in: world.situation) == .round)
        // A round that was due before is still made.
        world.lastRound = world.now
        #expect(world.machine.handle(.moved, in: world.situation) == .round)
        #expect(world.machine.handle(.networkChanged, in: world.situation) == .round)
    }

    @Test("A clock that was set back postpones nothing") func clockSetBack() {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        world.now = world.now - .days(365)
        #expect(world.machine.handle(.tick, in: world.situation) == .round)
        world.lastRound = world.now
        world.waiting = [world.now + .days(1)]
        #expect(world.machine.handle(.tick, in: world.situation) == .round)
        world.schedule = RetrySchedule(attempt: 1, retryAt: world.now + .days(365))
        #expect(world.machine.handle(.tick, in: world.situation) == .round)
    }

    @Test("Law 10: A failure that could not be stored is followed by a pause, too") func unwritableFailure() {
        var world = World(seed: 1)
        #expect(world.machine.handle(.start, in: world.situation) == .round)
        // The disk is full: the database knows of no failure, and of no time to try again.
        #expect(world.machine.handle(.failed, in: world.situation) == .wait(until: world.now + .seconds(60)))
    }

    @Test("A machine that was not started does nothing") func notStarted() {
        var world = World(seed: 1)
        for event in [Machine.Event.edited, .moved, .tick, .live(true)] {
            #expect(world.machine.handle(event, in: world.situation) == .rest)
        }
    }

    @Test("If the database cannot be read, the machine looks again after a minute") func unreadable() {
        var world = World(seed: 1)
        for event in [Machine.Event.start, .edited] {
            #expect(
                world.machine.handle(event, in: .unreadable(at: world.now)) == .wait(until: world.now + .seconds(60)))
        }
    }

    @Test("Only a higher rate, and a stream that opens or closes, start a round by themselves") func noNews() {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        let rest = Machine.Action.wait(until: world.now + .seconds(60))
        for event in [Machine.Event.rate(.default), .live(false), .edited, .tick, .ended(.done)] {
            #expect(world.machine.handle(event, in: world.situation) == rest)
        }
        let slow = Machine.Action.wait(until: world.now + .minutes(10))
        #expect(world.machine.handle(.rate(.slow), in: world.situation) == slow)
        #expect(world.machine.handle(.rate(.default), in: world.situation) == .round)
        #expect(world.machine.handle(.ended(.done), in: world.situation) == rest)
        #expect(world.machine.handle(.live(true), in: world.situation) == .round)
        #expect(world.machine.handle(.ended(.done), in: world.situation) == .wait(until: world.now + .minutes(15)))
        #expect(world.machine.handle(.live(false), in: world.situation) == .round)
    }

    @Test("A retry time counts only within the longest pause, and is due when it is now") func bounds() {
        var world = World(seed: 1)
        _ = world.obey(.start, works: true)
        world.waiting = [world.now - .milliseconds(500)]
        for (pause, action) in [
            (Duration.minutes(60), Machine.Action.wait(until: world.now + .minutes(60))),
            (.minutes(60) + .milliseconds(1), .round), (.zero, .round),
            (.milliseconds(1), .wait(until: world.now + .milliseconds(1))),
        ] {
            world.schedule = RetrySchedule(attempt: 1, retryAt: world.now + pause)
            #expect(world.machine.handle(.tick, in: world.situation) == action)
        }
    }

    @Test("A session that could not be opened, and with a failure that could not be stored, waits too")
    func unwritableOpening() {
        var world = World(seed: 1)
        world.session = .initial
        #expect(world.machine.handle(.start, in: world.situation) == .openSession)
        #expect(world.machine.handle(.failed, in: world.situation) == .wait(until: world.now + .seconds(60)))
    }
}
