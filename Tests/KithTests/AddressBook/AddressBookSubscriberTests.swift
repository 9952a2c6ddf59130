import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel
import Testing

@Suite("Observing the address book", .timeLimit(.minutes(15))) struct AddressBookSubscriberTests {
    let ada = Card("Ada", "Lovelace", uid: "ada", phones: ["0664 1234567"])
    let bob = Card("Bob", "Ross", uid: "bob")

    @Test("Trap: Notifications repeat and carry no difference") func difference() async throws {
        let source = TestSource([ada, bob])
        let world = try BookWorld(source)
        let recorder = Recorder()
        world.book.subscribe(recorder)
        _ = await recorder.hears(1)
        // Nothing has changed, whoever says so: nobody is told.
        source.poke()
        world.book.reload()
        _ = try await world.book.loaded()
        source.change([ada.with { $0.phones = [] }, Card("Cleo", uid: "cleo")])
        #expect(
            await recorder.hears(2) == [
                .changed(added: ["Ada Lovelace", "Bob Ross"], removed: [], modified: []),
                .changed(added: ["Cleo"], removed: ["Bob Ross"], modified: ["Ada Lovelace"]),
            ])
    }

    @Test("Subscribers that keep caches are notified first, each group in the order of subscription") func order()
        async throws
    {
        let source = TestSource([ada])
        let world = try BookWorld(source)
        let told = ExternalChanges()
        let recorders = ["a", "b", "c", "d"].map(Recorder.init)
        for recorder in recorders {
            await MainActor.run { recorder.whenHeard = { _ in told.names.append(recorder.name) } }
        }
        source.hold()
        for (recorder, keepsCache) in zip(recorders, [false, true, false, true]) {
            world.book.subscribe(recorder, keepsCache: keepsCache)
        }
        source.letGo()
        _ = await recorders[2].hears(1)
        #expect(await told.names == ["b", "d", "a", "c"])
    }

    @MainActor private final class ExternalChanges {
        var names: [String] = []
        nonisolated init() {}
    }

    @Test("Subscribers are a set: two subscriptions of one object notify once, and one call unsubscribes") func set()
        async throws
    {
        let source = TestSource([ada])
        let world = try BookWorld(source)
        let (twice, other) = (Recorder(), Recorder())
        source.hold()
        world.book.subscribe(twice)
        world.book.subscribe(twice)
        world.book.subscribe(other)
        source.letGo()
        _ = await other.hears(1)
        #expect(await twice.heard.count == 1)
        world.book.unsubscribe(twice)
        source.change([])
        _ = await other.hears(2)
        #expect(await twice.heard.count == 1)
    }

    @Test("Subscribers are not retained") func notRetained() async throws {
        let source = TestSource([ada])
        let world = try BookWorld(source)
        weak var gone: Recorder?
        do {
            let recorder = Recorder()
            gone = recorder
            world.book.subscribe(recorder)
            _ = await recorder.hears(1)
        }
        #expect(gone == nil)
        let other = Recorder()
        world.book.subscribe(other)
        source.change([])
        _ = await other.hears(1)
    }

    @Test("Unsubscribing inside a callback is safe: the object itself, one not yet notified, one already notified")
    func unsubscribingInside() async throws {
        let source = TestSource([ada])
        let world = try BookWorld(source)
        let recorders = ["first", "second", "third", "last"].map(Recorder.init)
        await MainActor.run {
            recorders[1].whenHeard = { _ in
                for index in 0...2 { world.book.unsubscribe(recorders[index]) }
                // Who comes in the middle of it gets the contacts, and hears the next.
                world.book.subscribe(recorders[0])
            }
        }
        source.hold()
        for recorder in recorders { world.book.subscribe(recorder) }
        source.letGo()
        _ = await recorders[3].hears(1)
        _ = await recorders[0].hears(2)
        source.change([ada, bob])
        _ = await recorders[3].hears(2)
        _ = await recorders[0].hears(3)
        for (recorder, count) in zip(recorders, [3, 1, 0, 2]) { #expect(await recorder.heard.count == count) }
        #expect(await recorders[0].states == [0, 1])
    }

    @Test("Law 9: A late subscriber gets the contacts and then the changes, also if there are none", arguments: [0, 1])
    func late(cards: Int) async throws {
        let source = TestSource(cards == 0 ? [] : [ada])
        let world = try BookWorld(source)
        _ = try await world.book.loaded()
        let late = Recorder()
        world.book.subscribe(late)
        _ = await late.hears(1)
        // A second subscription of the same object adds nothing.
        world.book.subscribe(late)
        source.change([bob])
        let shown = cards == 0 ? [] : ["Ada Lovelace"]
        #expect(
            await late.hears(2) == [
                .changed(added: shown, removed: [], modified: []),
                .changed(added: ["Bob Ross"], removed: shown, modified: []),
            ])
        #expect(await late.states == [0])
    }

    @Test(
        "Whatever subscribers do in their callbacks, each receives every difference once, in order",
        arguments: 0..<20 as Range<UInt64>)
    func anyOrder(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let sources = (0..<3).map { _ in TestSource() }
        let world = try BookWorld(sources[0], sources[1], sources[2])
        let (faithful, fickle) = (Recorder(), (0..<5).map { Recorder("\($0)") })
        let register = await SubscriberRegister(of: world.book)
        for recorder in fickle {
            var dice = SplitMix64(seed: random.next())
            await MainActor.run {
                recorder.whenHeard = { _ in
                    #expect(register.contains(recorder), "Who has unsubscribed hears nothing more.")
                    let other = fickle[Int.random(in: 0..<5, using: &dice)]
                    switch Int.random(in: 0..<4, using: &dice) {
                    case 0: register.unsubscribe(other)
                    case 1: register.unsubscribe(recorder)
                    case 2: register.subscribe(other, keepsCache: Bool.random(using: &dice))
                    default: _ = world.book.contacts
                    }
                }
            }
        }
        world.book.subscribe(faithful)
        for recorder in fickle { await register.subscribe(recorder) }
        var mirror: Set<String> = []
        var cards: [[Card]] = [[], [], []]
        for step in 0..<30 {
            let place = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where !cards[place].isEmpty: cards[place].removeFirst()
            case 1: sources[place].failure = KithError(.offline, "The server cannot be reached.")
            case 2: sources[place].failure = nil
            default: cards[place].append(Card("Number", "\(step)", uid: "\(step)"))
            }
            sources[place].change(cards[place])
            if Bool.random(using: &random) { world.book.reload() }
            world.clock.advance(by: .seconds(Int.random(in: 0..<3, using: &random)))
            world.alarms.ring()
            if Bool.random(using: &random) { await register.subscribe(fickle[Int.random(in: 0..<5, using: &random)]) }
        }
        for source in sources { source.failure = nil }
        world.clock.advance(by: AddressBook.longestPause)
        world.alarms.letTimePass()
        world.book.reload()
        let shown = Set(try await world.book.loaded().map(\.displayName))
        #expect(shown == Set(cards.joined().map { $0.name.full ?? "" }))
        for case .changed(let added, let removed, _) in await faithful.heard {
            #expect(mirror.isDisjoint(with: added) && mirror.isSuperset(of: removed))
            mirror = mirror.subtracting(removed).union(added)
        }
        #expect(mirror == shown)
        // Whoever comes and goes gets the contacts each time, and then hears some of the same, in the same order, and none of
        // it twice.
        for recorder in fickle {
            var (news, mirror) = (await faithful.heard[...], Set<String>())
            let (everything, states) = await (recorder.heard, recorder.states)
            for (place, heard) in everything.enumerated() {
                if case .changed(let added, let removed, _) = heard {
                    if states.contains(place) { mirror = [] }
                    #expect(mirror.isDisjoint(with: added) && mirror.isSuperset(of: removed), "\(recorder.name)")
                    mirror = mirror.subtracting(removed).union(added)
                }
                if states.contains(place) { continue }
                let found = news.firstIndex(of: heard)
                #expect(found != nil, "\(recorder.name) hears what \(heard) is, twice or out of order.")
                news = news[(found.map { $0 + 1 } ?? news.endIndex)...]
            }
        }
        world.book.unsubscribe(faithful)
    }

    // MARK: Streams

    @Test("Law 9: A late listener gets the state and then the changes, no gap, no repeat") func changes() async throws {
        let source = TestSource([ada])
        let world = try BookWorld(source)
        // One who listens before anything is loaded gets the state when there is one.
        var early = world.book.changes().makeAsyncIterator()
        let first = try #require(await early.next())
        #expect(first.origin == .state && first.added.map(\.displayName) == ["Ada Lovelace"])
        source.change([ada, bob])
        let second = try #require(await early.next())
        #expect(second.origin == .device && second.added.map(\.displayName) == ["Bob Ross"])
        var late = world.book.changes().makeAsyncIterator()
        #expect(await late.next()?.added.map(\.displayName) == ["Ada Lovelace", "Bob Ross"])
        source.change([bob])
        #expect(await late.next()?.removed.map(\.displayName) == ["Ada Lovelace"])
        #expect(await early.next()?.removed.map(\.displayName) == ["Ada Lovelace"])
    }

    @Test("An empty address book is reported as a state, too") func emptyState() async throws {
        let world = try BookWorld()
        var changes = world.book.changes().makeAsyncIterator()
        let first = try #require(await changes.next())
        #expect(first.origin == .state && first.isEmpty)
    }

    @Test("A listener that falls too far behind is ended, and can listen again") func tooSlow() async throws {
        let source = TestSource([ada])
        let world = try BookWorld(source, unreadChanges: 3)
        var slow = world.book.changes().makeAsyncIterator()
        _ = await slow.next()
        let recorder = Recorder()
        world.book.subscribe(recorder)
        _ = await recorder.hears(1)
        for step in 1...6 {
            source.change([ada, Card("Number \(step)", uid: "\(step)")])
            _ = await recorder.hears(step + 1)
        }
        var heard = 0
        while await slow.next() != nil { heard += 1 }
        #expect(heard == 3)
        var again = world.book.changes().makeAsyncIterator()
        #expect(await again.next()?.added.count == 2)
    }

    @Test("An address book that is released ends its streams and stops watching") func gone() async throws {
        let source = TestSource([ada])
        var world: BookWorld? = try BookWorld(source)
        let changes = try #require(world?.book.changes())
        let statuses = try #require(world?.book.liveSources())
        _ = try await world?.book.loaded()
        world = nil
        var count = 0
        for await _ in changes { count += 1 }
        for await _ in statuses {}
        #expect(count == 1)
        await source.isUnwatched()
    }
}

/// Who is subscribed just now, as those know who have said so.
@MainActor private final class SubscriberRegister {
    private let book: AddressBook
    private var names: Set<String> = []

    init(of book: AddressBook) { self.book = book }

    func contains(_ recorder: Recorder) -> Bool { names.contains(recorder.name) }

    func subscribe(_ recorder: Recorder, keepsCache: Bool = false) {
        names.insert(recorder.name)
        book.subscribe(recorder, keepsCache: keepsCache)
    }

    func unsubscribe(_ recorder: Recorder) {
        names.remove(recorder.name)
        book.unsubscribe(recorder)
    }
}
