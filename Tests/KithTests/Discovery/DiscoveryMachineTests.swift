import Kith
import KithDiscovery
import KithModel
import Testing

@Suite("When discovery runs") struct DiscoveryMachineTests {
    typealias Situation = DiscoveryMachine.Situation
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    @Test("not before it is enabled; then at once, and once a day") func daily() {
        var machine = DiscoveryMachine()
        #expect(machine.handle(.start, in: Situation(now: now, isEnabled: false)) == .rest)
        #expect(machine.handle(.bookChanged, in: Situation(now: now, isEnabled: false)) == .rest)
        #expect(machine.handle(.tick, in: Situation(now: now, isEnabled: true)) == .look)
        let looked = Situation(now: now, isEnabled: true, looked: now)
        #expect(machine.handle(.ended, in: looked) == .wait(until: now + .days(1)))
        let nextDay = Situation(now: now + .days(1), isEnabled: true, looked: now)
        #expect(machine.handle(.tick, in: nextDay) == .look)
    }

    @Test("Trap: A change during a sync is dropped – it is an event behind it, and another look follows") func change()
    {
        var machine = DiscoveryMachine()
        let looked = Situation(now: now, isEnabled: true, looked: now)
        #expect(machine.handle(.bookChanged, in: looked) == .look)
        // The change comes while that look runs; its event is handled when the look has ended.
        #expect(machine.handle(.ended, in: looked) == .wait(until: now + .days(1)))
        #expect(machine.handle(.bookChanged, in: looked) == .look)
    }

    @Test("Trap: People are added while the app does not run – they are looked for when the address book has been read")
    func comparison() {
        var machine = DiscoveryMachine()
        var looked = Situation(now: now, isEnabled: true, looked: now)
        #expect(machine.handle(.start, in: looked) == .wait(until: now + .days(1)))
        #expect(machine.handle(.compared, in: looked) == .wait(until: now + .days(1)))
        looked.hasNew = true
        #expect(machine.handle(.compared, in: looked) == .look)
        looked.hasNew = false
        #expect(machine.handle(.ended, in: looked) == .wait(until: now + .days(1)))
        // The quota of the day is used up: the rest is looked for when the next day begins, also after a restart.
        machine = DiscoveryMachine()
        looked.schedule = RetrySchedule(attempt: 1, retryAt: now + .minutes(30))
        looked.hasNew = true
        #expect(machine.handle(.compared, in: looked) == .wait(until: now + .minutes(30)))
        looked.now = now + .minutes(30)
        looked.hasNew = false
        #expect(machine.handle(.tick, in: looked) == .look)
    }

    @Test("Trap: A failed step leaves sync off for good – it is tried again after a pause, however often it fails")
    func failure() {
        var machine = DiscoveryMachine()
        var schedule = RetrySchedule()
        var random = SplitMix64(seed: 5)
        var time = now
        #expect(machine.handle(.start, in: Situation(now: time, isEnabled: true)) == .look)
        for _ in 0..<50 {
            schedule.fail(at: time, retryAfter: nil, using: &random)
            // The day's look was done before: what failed is a look for a change, and stays wanted.
            var situation = Situation(now: time, isEnabled: true, looked: now, schedule: schedule)
            switch machine.handle(.failed, in: situation) {
            case .wait(let until):
                #expect(until > time && until <= time + RetrySchedule.longestPause)
                time = until
            case let action: #expect(action == .wait(until: time + .seconds(60)))
            }
            situation.now = time
            #expect(machine.handle(.tick, in: situation) == .look)
        }
    }

    @Test("a failure that could not be stored causes no busy loop") func blind() {
        var machine = DiscoveryMachine()
        let situation = Situation(now: now, isEnabled: true)
        #expect(machine.handle(.start, in: situation) == .look)
        #expect(machine.handle(.failed, in: situation) == .wait(until: now + .seconds(60)))
    }

    @Test("a clock that was set back does not keep it waiting") func clock() {
        var machine = DiscoveryMachine()
        let ahead = Situation(
            now: now, isEnabled: true, looked: now + .days(400),
            schedule: RetrySchedule(attempt: 1, retryAt: now + .days(400)))
        #expect(machine.handle(.tick, in: ahead) == .look)
    }
}
