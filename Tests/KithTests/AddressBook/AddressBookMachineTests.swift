import Kith
import KithAddressBook
import KithModel
import Testing

@Suite("The address book's machine") struct AddressBookMachineTests {
    typealias Machine = AddressBookMachine

    /// Sources whose cards are a count of their changes, and somebody who shows what was read of them.
    private struct World {
        var now = Timestamp(milliseconds: 1_800_000_000_000)
        var machine = Machine()
        var random: SplitMix64
        /// How often each source has changed.
        var truth: [SourceID: Int] = [:]
        /// What is shown of each.
        var shown: [SourceID: Int] = [:]
        /// What the running load has read of each; it reads as it begins.
        var running: [SourceID: Int]?
        /// What slow sources have read, that are still on their way.
        var slow: [SourceID: Int] = [:]
        /// What slow sources have brought, and what of that the running load is to show.
        var arrived: [SourceID: Int] = [:]
        var taken: [SourceID: Int] = [:]
        var alarm: Timestamp?
        /// When each source failed last, and how often since it was last read.
        var failed: [SourceID: (at: Timestamp, times: Int)] = [:]
        /// The sources that the app has written to since they were last read.
        var written: Set<SourceID> = []
        var loads = 0
        /// How many loads have ended, and in what.
        var successes = 0
        var failures = 0
        var tickets: [Machine.Ticket] = []

        init(seed: UInt64 = 1, _ sources: Int = 1) {
            random = SplitMix64(seed: seed)
            for number in 0..<sources { note(.added(BookWorld.id(number))) }
            for number in 0..<sources { truth[BookWorld.id(number)] = 0 }
        }

        mutating func note(_ event: Machine.Event) {
            switch machine.handle(event, at: now) {
            case .load(let due):
                #expect(running == nil, "Two loads at a time.")
                for source in due {
                    #expect(slow[source] == nil, "A source is read twice at a time.")
                    let isWritten = written.remove(source) != nil
                    guard !isWritten, let failure = failed[source] else { continue }
                    let pause = min(Machine.firstPause * (1 << min(failure.times - 1, 6)), Machine.longestPause)
                    #expect(now >= failure.at + pause, "A source is read again before its pause is over.")
                }
                loads += 1
                running = truth.filter { due.contains($0.key) }
                (taken, arrived) = (arrived, [:])
                alarm = nil
            case .wait(let until): alarm = until
            case .rest: break
            }
        }

        mutating func change(_ source: SourceID) {
            truth[source]? += 1
            note(.changed(source))
        }

        mutating func write(_ source: SourceID) {
            truth[source]? += 1
            written.insert(source)
            note(.written(source))
        }

        /// A reload ends the pauses after failures.
        mutating func reload() {
            failed = [:]
            note(.reload)
        }

        mutating func ask() {
            note(.asked)
            tickets.append(machine.ticket)
        }

        /// Ends the running load: each source is read, fails, or is slow.
        mutating func end(
            failing: (SourceID) -> Bool = { _ in false }, slow isSlow: (SourceID) -> Bool = { _ in false }
        ) {
            guard let begun = running else { return }
            running = nil
            var results: [SourceID: Machine.ReadResult] = [:]
            for (source, count) in begun where truth[source] != nil && isSlow(source) {
                results[source] = .slow
                slow[source] = count
            }
            for (source, count) in begun.merging(taken, uniquingKeysWith: { $1 })
            where truth[source] != nil && results[source] == nil {
                if failing(source) {
                    results[source] = .failed
                    failed[source] = (now, (failed[source]?.times ?? 0) + 1)
                } else {
                    results[source] = .read
                    failed[source] = nil
                    shown[source] = count
                }
            }
            taken = [:]
            if results.values.contains(.failed) { failures += 1 } else { successes += 1 }
            note(.ended(results))
        }

        /// What a slow source has read is there.
        mutating func arrive(_ source: SourceID) {
            guard let count = slow.removeValue(forKey: source) else { return }
            arrived[source] = count
            note(.arrived(source))
        }

        mutating func remove(_ source: SourceID) {
            (truth[source], shown[source], failed[source]) = (nil, nil, nil)
            (slow[source], arrived[source], taken[source]) = (nil, nil, nil)
            written.remove(source)
            running?[source] = nil
            note(.removed(source))
        }

        /// Ends the running load with what a cache had.
        mutating func recall(_ source: SourceID) {
            guard running != nil else { return }
            (running, taken) = (nil, [:])
            note(.ended([source: .recalled]))
        }

        mutating func pass(_ time: Duration) {
            now = now + time
            if let due = alarm, due <= now {
                alarm = nil
                note(.tick)
            }
        }
    }

    @Test(
        "In any order of events, the final contacts are shown in the end, and waiting callers are answered",
        arguments: 0..<500 as Range<UInt64>)
    func nothingIsLost(seed: UInt64) {
        var world = World(seed: seed, 3)
        for _ in 0..<120 {
            let source = BookWorld.id(Int.random(in: 0..<4, using: &world.random))
            switch Int.random(in: 0..<12, using: &world.random) {
            case 0...1: if world.truth[source] != nil { world.change(source) }
            case 2: if world.truth[source] != nil { world.write(source) }
            case 3...4: world.ask()
            case 5: world.reload()
            case 6: world.note(.arranged)
            case 7...8:
                let (isBroken, isSlow) = (
                    Bool.random(using: &world.random), Int.random(in: 0..<3, using: &world.random) == 0
                )
                world.end(failing: { isBroken && $0 == source }, slow: { isSlow && $0 != source })
                for source in world.slow.keys.sorted(by: { $0.rawValue < $1.rawValue })
                where Bool.random(using: &world.random) { world.arrive(source) }
            case 9:
                if world.truth[source] == nil {
                    world.truth[source] = 0
                    world.note(.added(source))
                }
            case 10:
                if Int.random(in: 0..<4, using: &world.random) == 0 { world.remove(source) }
            default: world.pass(.milliseconds(Int.random(in: 0..<5_000, using: &world.random)))
            }
        }
        // Everything heals, and somebody asks once more.
        world.ask()
        for _ in 0..<20 {
            for source in world.slow.keys { world.arrive(source) }
            world.end()
            world.pass(Machine.longestPause)
        }
        #expect(world.running == nil)
        #expect(world.shown == world.truth)
        #expect(world.tickets.allSatisfy(world.machine.isAnswered))
        #expect(world.successes + world.failures == world.loads, "A load ends in exactly one of success or failure.")
        // And then there is peace.
        let loads = world.loads
        world.ask()
        world.note(.tick)
        #expect(world.loads == loads)
    }

    @Test("Nothing is read before the first request, whatever changes") func asleep() {
        var world = World(seed: 1, 2)
        world.change(BookWorld.id(0))
        world.note(.arranged)
        world.note(.added(BookWorld.id(2)))
        world.note(.removed(BookWorld.id(2)))
        world.pass(.minutes(10))
        #expect(world.loads == 0)
        world.ask()
        #expect(world.loads == 1)
        #expect(world.running?.count == 2)
    }

    @Test("Asking again while a load runs adds none; a change during a load always adds one more") func during() {
        var world = World()
        world.ask()
        for _ in 0..<5 { world.ask() }
        world.end()
        #expect(world.loads == 1)
        #expect(world.running == nil)
        world.change(BookWorld.id(0))
        #expect(world.loads == 2)
        for _ in 0..<3 { world.change(BookWorld.id(0)) }
        world.ask()
        #expect(world.loads == 2)
        world.end()
        #expect(world.loads == 3)
        world.end()
        #expect(world.loads == 3)
        #expect(world.shown == [BookWorld.id(0): 4])
    }

    @Test("A failed load is retried by the next request after its pause, not automatically") func failure() {
        var world = World()
        world.ask()
        world.end { _ in true }
        world.pass(.minutes(10))
        #expect(world.loads == 1)
        world.ask()
        #expect(world.loads == 2)
        world.end { _ in true }
        // Asked at once: it waits, and is tried when the time has come.
        for _ in 0..<100 { world.ask() }
        #expect(world.loads == 2)
        #expect(world.alarm == world.now + .seconds(2))
        world.pass(.seconds(2))
        #expect(world.loads == 3)
        world.end()
        #expect(world.tickets.allSatisfy(world.machine.isAnswered))
    }

    @Test("Pauses grow from one second to a minute, and begin again after a success") func pauses() {
        var world = World()
        var pauses: [Duration] = []
        world.ask()
        for _ in 0..<9 {
            world.end { _ in true }
            world.ask()
            guard let alarm = world.alarm else { break }
            pauses.append(alarm - world.now)
            world.pass(alarm - world.now)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        world.end()
        world.change(BookWorld.id(0))
        world.end { _ in true }
        world.ask()
        #expect(world.alarm == world.now + .seconds(1))
    }

    @Test("What the app writes is read at once, even during the pause after a failure") func written() {
        var world = World()
        world.ask()
        world.end { _ in true }
        world.write(BookWorld.id(0))
        #expect(world.loads == 2)
        // Written while a load runs that then fails.
        world.write(BookWorld.id(0))
        world.end { _ in true }
        #expect(world.loads == 3)
        // The device's copy was read; the server is asked after the pause.
        world.recall(BookWorld.id(0))
        #expect(world.loads == 3)
        #expect(world.alarm == world.now + .seconds(2))
    }

    @Test(
        "A reload, and a source that is opened again, is read at once during the pause after a failure",
        arguments: [AddressBookMachine.Event.reload, .reopened(BookWorld.id(0))])
    func askedForByUser(event: AddressBookMachine.Event) {
        var world = World()
        world.ask()
        for _ in 0..<5 {
            world.end { _ in true }
            world.failed = [:]
            world.note(event)
        }
        #expect(world.loads == 6)
        // The pauses begin again.
        world.end { _ in true }
        world.ask()
        #expect(world.loads == 6)
        #expect(world.alarm == world.now + Machine.firstPause)
    }

    @Test("A reload does not end the pause that a server has asked for") func postponed() {
        var world = World()
        world.ask()
        world.running = nil
        world.note(.ended([BookWorld.id(0): .postponed]))
        world.reload()
        world.note(.reopened(BookWorld.id(0)))
        #expect(world.loads == 1)
        #expect(world.alarm == world.now + Machine.firstPause)
        world.pass(Machine.firstPause)
        #expect(world.loads == 2)
    }

    @Test("A failing source does not stop the reading of others") func others() {
        var world = World(seed: 1, 2)
        world.ask()
        world.end { $0 == BookWorld.id(0) }
        #expect(world.shown == [BookWorld.id(1): 0])
        world.change(BookWorld.id(1))
        #expect(world.running == [BookWorld.id(1): 1])
        world.end()
        #expect(world.shown == [BookWorld.id(1): 1])
    }

    @Test("A source with a cache is also read at once, and callers wait for that reading") func cache() {
        var world = World()
        world.ask()
        world.running = nil
        world.note(.ended([BookWorld.id(0): .recalled]))
        #expect(world.loads == 2)
        #expect(!world.tickets.contains(where: world.machine.isAnswered))
        world.end()
        #expect(world.tickets.allSatisfy(world.machine.isAnswered))
    }

    @Test("If the source changes while its cache is read, waiting callers are answered by the one reading that follows")
    func changedDuringRecall() {
        var world = World()
        world.ask()
        world.change(BookWorld.id(0))
        world.ask()
        world.recall(BookWorld.id(0))
        #expect(world.running == [BookWorld.id(0): 1])
        world.end()
        #expect(world.running == nil)
        #expect(world.tickets.allSatisfy(world.machine.isAnswered))
    }

    @Test("Callers that wait for a source which replaces another one are answered by its own reading")
    func replacedDuringLoad() {
        var world = World()
        world.ask()
        world.note(.added(BookWorld.id(0)))
        world.running = [:]
        world.ask()
        world.end()
        #expect(world.running == [BookWorld.id(0): 0])
        world.end()
        #expect(world.tickets.allSatisfy(world.machine.isAnswered))
    }

    @Test("A slow source does not delay others, is not read twice, and is shown when it is read") func slow() {
        var world = World(seed: 1, 2)
        let (file, account) = (BookWorld.id(0), BookWorld.id(1))
        world.ask()
        world.end(slow: { $0 == account })
        #expect(world.shown == [file: 0])
        #expect(!world.tickets.contains(where: world.machine.isAnswered))
        world.change(account)
        world.change(file)
        #expect(world.running == [file: 1])
        world.end()
        #expect(world.shown == [file: 1])
        world.arrive(account)
        world.end()
        #expect(world.shown == [file: 1, account: 0])
        #expect(world.tickets.allSatisfy(world.machine.isAnswered))
        // What changed while it was under way is read now.
        #expect(world.running == [account: 1])
    }

    @Test("Callers that wait for a decision to be shown wait for no source") func arrangement() {
        var world = World(seed: 1, 2)
        world.ask()
        world.end(failing: { $0 == BookWorld.id(0) }, slow: { $0 == BookWorld.id(1) })
        world.ask()
        world.note(.arranged)
        let ticket = world.machine.arrangement
        #expect(!world.machine.isAnswered(ticket))
        world.end()
        #expect(world.machine.isAnswered(ticket))
    }

    @Test("A book without sources is loaded by asking: it is empty") func noSources() {
        var world = World(seed: 1, 0)
        world.ask()
        #expect(world.loads == 1)
        world.end()
        world.ask()
        #expect(world.loads == 1)
    }

    @Test("A clock that was set back postpones nothing") func clockSetBack() {
        var world = World()
        world.ask()
        world.end { _ in true }
        world.now = world.now - .days(365)
        world.failed = [:]
        world.ask()
        #expect(world.loads == 2)
    }
}
