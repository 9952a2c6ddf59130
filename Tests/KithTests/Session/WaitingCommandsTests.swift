import Kith
import KithModel
import Testing

@Suite("Commands that wait for a session") struct WaitingCommandsTests {
    private typealias Effect = WaitingCommands.Effect

    private static func change(
        _ before: SessionState, _ after: SessionState, store: Int64 = 1, isDropped: Bool = false
    ) -> WaitingCommands.Event {
        .changed(
            SessionChange(
                before: .init(store: StoreKey(1), state: before),
                after: .init(store: StoreKey(store), state: after), isDropped: isDropped))
    }

    @Test("The state decides whether a command runs, waits or ends", arguments: SessionState.allCases)
    func asked(state: SessionState) {
        var commands = WaitingCommands()
        let effects = commands.handle(.asked(1, state))
        switch state {
        case .anonymous, .identified: #expect(effects == [.run(1)])
        case .initial, .serverError: #expect(effects.isEmpty && commands.waiting == [1])
        case .loggedOut, .invalidToken, .inactive: #expect(effects == [.end(1, .noSession)])
        }
    }

    @Test("Waiting commands run in their order when the session is ready, and end by reset when it is lost")
    func changes() {
        let cases: [(event: WaitingCommands.Event, effect: ((Int) -> WaitingCommands.Effect)?)] = [
            (Self.change(.initial, .anonymous), { .run($0) }),
            (Self.change(.serverError, .identified), { .run($0) }),
            (Self.change(.anonymous, .serverError), nil), (Self.change(.anonymous, .initial), nil),
            // A new session in another store replaces a refused anonymous one.
            (Self.change(.initial, .anonymous, store: 2), { .run($0) }),
            (Self.change(.serverError, .anonymous, store: 2), { .end($0, .reset) }),
            (Self.change(.initial, .loggedOut), { .end($0, .reset) }),
            (Self.change(.serverError, .invalidToken), { .end($0, .reset) }),
            (Self.change(.serverError, .inactive), { .end($0, .reset) }),
            (Self.change(.initial, .initial, store: 2, isDropped: true), { .end($0, .reset) }),
        ]
        for (event, effect) in cases {
            var commands = WaitingCommands()
            for id in [3, 1, 2] { _ = commands.handle(.asked(id, .initial)) }
            let effects = commands.handle(event)
            #expect(effects == (effect.map { [3, 1, 2].map($0) } ?? []), "\(event)")
            #expect(commands.waiting.isEmpty == (effect != nil))
        }
    }

    @Test("Each command ends exactly once, whatever happens", arguments: 0..<500 as Range<UInt64>)
    func exactlyOnce(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var commands = WaitingCommands()
        var ends: [Int: Int] = [:]
        var given = 0
        var (store, state) = (Int64(1), SessionState.initial)
        func note(_ effects: [WaitingCommands.Effect]) {
            for effect in effects {
                switch effect {
                case .run(let id), .end(let id, _): ends[id, default: 0] += 1
                }
            }
        }
        for _ in 0..<100 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                given += 1
                note(commands.handle(.asked(given, state)))
            case 2: note(commands.handle(.withdrawn(Int.random(in: 1...max(1, given), using: &random))))
            default:
                let before = SessionChange.Side(store: StoreKey(store), state: state)
                state = SessionState.allCases.randomElement(using: &random)!
                if Bool.random(using: &random) { store += 1 }
                let after = SessionChange.Side(store: StoreKey(store), state: state)
                note(commands.handle(.changed(SessionChange(before: before, after: after))))
            }
        }
        #expect(Set(ends.keys).union(commands.waiting) == Set(1...given), "No command is lost.")
        #expect(ends.values.allSatisfy { $0 == 1 }, "No command ends twice.")
        #expect(ends.keys.allSatisfy { !commands.waiting.contains($0) })
        note(commands.handle(Self.change(.initial, .loggedOut)))
        #expect(ends.count == given && ends.values.allSatisfy { $0 == 1 })
    }

    @Test("A command beyond the limit ends at once") func limit() {
        var commands = WaitingCommands()
        for id in 1...WaitingCommands.most { #expect(commands.handle(.asked(id, .initial)).isEmpty) }
        #expect(commands.handle(.asked(0, .initial)) == [.end(0, .tooMany)])
        _ = commands.handle(.withdrawn(7))
        #expect(commands.handle(.asked(0, .initial)).isEmpty)
    }
}
