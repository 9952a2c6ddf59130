import Kith
import KithAddressBook
import KithCards
import Synchronization

/// A source that a test holds in its hands: what is in it, when a load may end, and how.
final class TestSource: AddressBookSource {
    private struct State {
        var entries: [SourceContents.Entry] = []
        var access = SourceContents.Access.full
        var cached: SourceContents?
        var vCards: [CardReference: VCard] = [:]
        var failure: KithError?
        /// Loads that have begun wait here while the source is held.
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
        var loads = 0
        var running = 0
        var mostRunning = 0
        var waiting: [(loads: Int, CheckedContinuation<Void, Never>)] = []
        var listeners: [AsyncStream<Void>.Continuation] = []
        /// Each ends when its listener is gone.
        var watches: [AsyncStream<Void>] = []
    }

    private let state = Mutex(State())

    init(_ cards: [Card] = []) { set(cards) }

    init(_ entries: [SourceContents.Entry]) { set(entries) }

    /// What is in it from now on. Nobody is told.
    func set(_ cards: [Card]) {
        state.withLock { state in
            state.entries = cards.enumerated().map { number, card in
                SourceContents.Entry(reference: CardReference(card.uid ?? "card-\(number)"), card: card)
            }
        }
    }

    func set(_ entries: [SourceContents.Entry]) { state.withLock { $0.entries = entries } }

    /// These cards, with the bytes of which they were read.
    convenience init(vCards: [VCard]) {
        self.init(vCards.map { Card($0) })
        state.withLock { state in
            for (entry, vCard) in zip(state.entries, vCards) { state.vCards[entry.reference] = vCard }
        }
    }

    /// What is in it from now on, and who watches it is told.
    func change(_ cards: [Card]) {
        set(cards)
        for listener in state.withLock(\.listeners) { listener.yield() }
    }

    /// Says that something may have changed.
    func poke() { for listener in state.withLock(\.listeners) { listener.yield() } }

    var failure: KithError? {
        get { state.withLock(\.failure) }
        set { state.withLock { $0.failure = newValue } }
    }
    var access: SourceContents.Access {
        get { state.withLock(\.access) }
        set { state.withLock { $0.access = newValue } }
    }
    /// What it can show without going anywhere.
    func setCached(_ cards: [Card]) {
        state.withLock { state in
            state.cached = SourceContents(
                entries: cards.enumerated().map {
                    .init(reference: CardReference($1.uid ?? "card-\($0)"), card: $1)
                })
        }
    }

    /// How many loads have begun, and how many at the same time at most.
    var loads: Int { state.withLock(\.loads) }
    var mostAtOnce: Int { state.withLock(\.mostRunning) }

    // MARK: Holding

    /// Loads that begin from now on do not end before they are let go.
    func hold() { state.withLock { $0.isHeld = true } }

    func letGo() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.isHeld = false
            return state.held
        }
        for load in held { load.resume() }
    }

    /// Returns when so many loads have begun.
    func begun(_ loads: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.loads >= loads { return true }
                state.waiting.append((loads, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    /// Returns when nobody who has watched it does any more.
    func isUnwatched() async { for watch in state.withLock(\.watches) { for await _ in watch {} } }

    // MARK: AddressBookSource

    func load(_ progress: LoadProgress) async throws -> SourceContents {
        let reached = state.withLock { state in
            state.loads += 1
            state.running += 1
            state.mostRunning = max(state.mostRunning, state.running)
            let loads = state.loads
            defer { state.waiting.removeAll { $0.loads <= loads } }
            return state.waiting.filter { $0.loads <= loads }.map(\.1)
        }
        // What was read when a load begins is what it gives, whatever changes meanwhile.
        let contents = state.withLock { SourceContents(entries: $0.entries, access: $0.access) }
        for waiting in reached { waiting.resume() }
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHeld { state.held.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
        progress.report(contents.entries.count, of: contents.entries.count)
        return try state.withLock { state in
            state.running -= 1
            if let failure = state.failure { throw failure }
            return contents
        }
    }

    func cached() async throws -> SourceContents? { state.withLock(\.cached) }

    func changes() -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let (ended, end) = AsyncStream<Void>.makeStream()
        continuation.onTermination = { _ in end.finish() }
        state.withLock { state in
            state.listeners.append(continuation)
            state.watches.append(ended)
        }
        return changes
    }

    func vCard(_ reference: CardReference) async throws -> VCard {
        if let vCard = state.withLock({ $0.vCards[reference] }) { return vCard }
        throw KithError(.notFound, "There is no such card.")
    }

    func add(_ cards: [VCard]) async throws -> AddedCards {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            let references = cards.indices.map { CardReference("added-\(state.entries.count + $0)") }
            for (card, reference) in zip(cards, references) {
                state.entries.append(SourceContents.Entry(reference: reference, card: Card(card)))
            }
            return AddedCards(references: references)
        }
    }
}
