import Kith
import KithModel
import Testing

@Suite("The address book's machine") struct AddressBookMachineTests {
    typealias Machine = AddressBookMachine
    typealias SourceID = AddressBook.SourceID

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
        var alarm: Timestamp?
        /// When each source failed last, and how often since it was last read.
        var failed: [SourceID: (at: Timestamp, times: Int)] = [:]
        var loads = 0
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
                    guard let failure = failed[source] else { continue }
                    let pause = min(Machine.firstPause * (1 << min(failure.times - 1, 6)), Machine.longestPause)
                    #expect(now >= failure.at + pause, "A source is read again before its pause is over.")
                }
                loads += 1
                running = truth.filter { due.contains($0.key) }
                alarm = nil
            case .wait(let until): alarm = until
            case .rest: break
            }
        }

        mutating func change(_ source: SourceID) {
            truth[source]? += 1
            note(.changed(source))
        }

        mutating func ask() {
            note(.asked)
            tickets.append(machine.ticket)
        }

        /// Ends the running load: each source is read, or fails.
        mutating func end(failing: (SourceID) -> Bool = { _ in false }) {
            guard let found = running else { return }
            running = nil
            var endings: [SourceID: Machine.Ending] = [:]
            for (source, count) in found.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where truth[source] != nil {
                if failing(source) {
                    endings[source] = .failed
                    failed[source] = (now, (failed[source]?.times ?? 0) + 1)
                } else {
                    endings[source] = .read
                    failed[source] = nil
                    shown[source] = count
                }
            }
            note(.ended(endings))
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
        "Whatever happens in whatever order, what is shown in the end is what is there, and who waits is answered",
        arguments: 0..<500 as Range<UInt64>)
    func nothingIsLost(seed: UInt64) {
        var world = World(seed: seed, 3)
        for _ in 0..<120 {
            let source = BookWorld.id(Int.random(in: 0..<4, using: &world.random))
            switch Int.random(in: 0..<12, using: &world.random) {
            case 0...2: if world.truth[source] != nil { world.change(source) }
            case 3...4: world.ask()
            case 5: world.note(.reload)
            case 6: world.note(.arranged)
            case 7...8:
                let isBroken = Bool.random(using: &world.random)
                world.end { isBroken && $0 == source }
            case 9:
                if world.truth[source] == nil {
                    world.truth[source] = 0
                    world.note(.added(source))
                }
            case 10:
                if Int.random(in: 0..<4, using: &world.random) == 0 {
                    (world.truth[source], world.shown[source], world.failed[source]) = (nil, nil, nil)
                    world.note(.removed(source))
                }
            default: world.pass(.milliseconds(Int.random(in: 0..<5_000, using: &world.random)))
            }
        }
        // Everything heals, and somebody asks once more.
        world.ask()
        for _ in 0..<20 {
            world.end()
            world.pass(Machine.longestPause)
        }
        #expect(world.running == nil)
        #expect(world.shown == world.truth)
        #expect(world.tickets.allSatisfy(world.machine.isAnswered))
        // And then there is peace.
        let loads = world.loads
        world.ask()
        world.note(.tick)
        #expect(world.loads == loads)
    }

    @Test("Nothing is read before somebody asks, whatever changes") func asleep() {
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

    @Test("A failed load is not tried again by itself, but by whoever asks next, once its pause is over") func failure()
    {
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

    @Test("Pauses grow from one second to a minute, and begin anew after a success") func pauses() {
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

    @Test("A source that fails keeps no other from being read") func others() {
        var world = World(seed: 1, 2)
        world.ask()
        world.end { $0 == BookWorld.id(0) }
        #expect(world.shown == [BookWorld.id(1): 0])
        world.change(BookWorld.id(1))
        #expect(world.running == [BookWorld.id(1): 1])
        world.end()
        #expect(world.shown == [BookWorld.id(1): 1])
    }

    @Test("A source that is known from its cache is read at once behind it, and who waits waits for that") func cache()
    {
        var world = World()
        world.ask()
        world.running = nil
        world.note(.ended([BookWorld.id(0): .recalled]))
        #expect(world.loads == 2)
        #expect(!world.tickets.contains(where: world.machine.isAnswered))
        world.end()
        #expect(world.tickets.allSatisfy(world.machine.isAnswered))
    }

    @Test("A book without sources is loaded by asking: it is empty") func noSources() {
        var world = World(seed: 1, 0)
        world.ask()
        #expect(world.loads == 1)
        world.end()
        world.ask()
        #expect(world.loads == 1)
    }

    @Test("A clock that was set back postpones nothing until it comes there again") func clockSetBack() {
        var world = World()
        world.ask()
        world.end { _ in true }
        world.now = world.now - .days(365)
        world.failed = [:]
        world.ask()
        #expect(world.loads == 2)
    }
}
