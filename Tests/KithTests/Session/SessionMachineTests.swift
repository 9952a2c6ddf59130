import Kith
import KithModel
import Testing

@Suite("The machine of the session") struct SessionMachineTests {
    typealias Event = SessionMachine.Event

    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    /// Every event, with the values that make a difference.
    static let events: [(name: String, event: Event)] = [
        ("begun", .begun), ("opened", .opened), ("activated, anonymous", .activated(isIdentified: false)),
        ("activated, identified", .activated(isIdentified: true)), ("selected", .selected),
        ("accepted, anonymous", .accepted(isIdentified: false)),
        ("accepted, identified", .accepted(isIdentified: true)),
        ("succeeded", .succeeded), ("unreachable", .unreachable(retryAfter: nil)),
        ("failed", .failed(retryAfter: nil)), ("refused, not replaceable", .refused(isReplaceable: false)),
        ("refused", .refused(isReplaceable: true)), ("closed", .closed), ("loggedOut", .loggedOut),
        ("left without an account", .left(hasAccount: false)), ("left", .left(hasAccount: true)),
        ("restarted", .restarted),
    ]

    /// The columns of the table: each state, for an anonymous and for an identified account.
    static let rows: [(name: String, machine: SessionMachine)] = [
        ("initial", SessionMachine(state: .initial)), ("anonymous", SessionMachine(state: .anonymous)),
        ("identified", SessionMachine(state: .identified)), ("loggedOut", SessionMachine(state: .loggedOut)),
        ("invalidToken", SessionMachine(state: .invalidToken)), ("serverError", SessionMachine(state: .serverError)),
        ("inactive", SessionMachine(state: .inactive)),
        ("loggedOut*", SessionMachine(state: .loggedOut, isIdentified: true)),
        ("invalidToken*", SessionMachine(state: .invalidToken, isIdentified: true)),
        ("serverError*", SessionMachine(state: .serverError, isIdentified: true)),
    ]

    /// The state after each event, by column. A star marks an identified account in a state other than `identified`.
    static let table: [String: String] = [
        "begun": "initial initial initial initial initial initial initial initial initial initial",
        "opened": "anonymous anonymous anonymous anonymous anonymous anonymous anonymous anonymous anonymous anonymous",
        "activated, anonymous":
            "anonymous anonymous anonymous anonymous anonymous anonymous anonymous anonymous anonymous anonymous",
        "activated, identified":
            "identified identified identified identified identified identified identified identified identified identified",
        "selected":
            "anonymous anonymous identified anonymous anonymous anonymous inactive identified identified identified",
        "accepted, anonymous":
            "initial anonymous anonymous loggedOut invalidToken serverError inactive loggedOut* invalidToken* serverError",
        "accepted, identified":
            "initial identified identified loggedOut invalidToken serverError* inactive loggedOut* invalidToken* serverError*",
        "succeeded":
            "initial anonymous identified loggedOut invalidToken anonymous inactive loggedOut* invalidToken* identified",
        "unreachable":
            "initial anonymous identified loggedOut invalidToken serverError inactive loggedOut* invalidToken* serverError*",
        // The sessions of the table have used up their quick attempts.
        "failed":
            "initial serverError serverError* loggedOut invalidToken serverError inactive loggedOut* invalidToken* serverError*",
        "refused, not replaceable":
            "initial invalidToken invalidToken* loggedOut invalidToken invalidToken inactive loggedOut* invalidToken* invalidToken*",
        "refused":
            "initial initial invalidToken* loggedOut invalidToken initial inactive loggedOut* invalidToken* invalidToken*",
        "closed": "initial inactive inactive* inactive inactive inactive inactive inactive* inactive* inactive*",
        "loggedOut":
            "loggedOut loggedOut loggedOut* loggedOut loggedOut loggedOut inactive loggedOut* loggedOut* loggedOut*",
        "left without an account":
            "initial anonymous identified loggedOut invalidToken serverError inactive loggedOut* invalidToken* serverError*",
        "left":
            "invalidToken anonymous identified loggedOut invalidToken serverError inactive loggedOut* invalidToken* serverError*",
        "restarted":
            "initial anonymous identified loggedOut invalidToken serverError inactive loggedOut* invalidToken* serverError*",
    ]

    private static func name(_ machine: SessionMachine) -> String {
        machine.state.rawValue + (machine.isIdentified && machine.state != .identified ? "*" : "")
    }

    @Test("Each event leads from each state to the state in the table", arguments: events.map(\.name))
    func table(event name: String) throws {
        let event = try #require(Self.events.first { $0.name == name }?.event)
        let expected = try #require(Self.table[name]).split(separator: " ").map(String.init)
        var random = SplitMix64(seed: 1)
        let after = Self.rows.map { row in
            var machine = SessionMachine(
                state: row.machine.state, isIdentified: row.machine.isIdentified,
                schedule: RetrySchedule(attempt: RetrySchedule.quickAttempts))
            _ = machine.handle(event, at: Self.now, using: &random)
            return Self.name(machine)
        }
        #expect(after == expected, "\(name), from \(Self.rows.map(\.name))")
    }

    @Test("The table has every event and every state") func complete() {
        #expect(Set(Self.table.keys) == Set(Self.events.map(\.name)))
        #expect(Set(Self.rows.map(\.machine.state)) == Set(SessionState.allCases))
    }

    @Test("A refused token of an anonymous account is deleted and replaced; one of an identified account is not")
    func refused() {
        var random = SplitMix64(seed: 1)
        var anonymous = SessionMachine(state: .anonymous)
        let effects = anonymous.handle(.refused(isReplaceable: true), at: Self.now, using: &random)
        #expect(Array(effects.prefix(2)) == [.deleteToken, .openSession] && effects.count == 3)
        #expect(anonymous.schedule.retryAt.map { effects.last == .retry(at: $0) } == true)
        var identified = SessionMachine(state: .identified)
        #expect(identified.handle(.refused(isReplaceable: true), at: Self.now, using: &random) == [.askToSignIn])
        #expect(identified.schedule == RetrySchedule())
        var late = SessionMachine(state: .loggedOut)
        #expect(late.handle(.refused(isReplaceable: true), at: Self.now, using: &random).isEmpty)
    }

    @Test("After any other failure, attempts continue with the same token and growing pauses, until a round succeeds")
    func failures() {
        var random = SplitMix64(seed: 1)
        var machine = SessionMachine(state: .identified)
        var limits: [Duration] = []
        for attempt in 1...8 {
            let effects = machine.handle(.failed(retryAfter: nil), at: Self.now, using: &random)
            #expect(machine.schedule.retryAt.map { effects == [.retry(at: $0)] } == true)
            #expect(machine.state == (attempt > RetrySchedule.quickAttempts ? .serverError : .identified))
            limits.append((machine.schedule.retryAt ?? Self.now) - Self.now)
        }
        #expect(limits.allSatisfy { $0 <= RetrySchedule.slowPause })
        #expect(machine.handle(.succeeded, at: Self.now, using: &random).isEmpty)
        #expect(machine == SessionMachine(state: .identified))
        let asked = machine.handle(.failed(retryAfter: .seconds(90)), at: Self.now, using: &random)
        #expect(asked == [.retry(at: Self.now + .seconds(90))], "The pause is the one that the server asks for.")
    }

    @Test(
        "After random events, isIdentified is right, and an open session keeps its token"
    )
    func randomEvents() {
        for seed in 0..<2_000 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var machine = SessionMachine(state: .initial)
            var isIdentified = false
            for _ in 0..<40 {
                let before = machine
                let event = Self.events.randomElement(using: &random)!.event
                let effects = machine.handle(event, at: Self.now, using: &random)
                switch event {
                case .begun, .opened: isIdentified = false
                case .activated(let proved): isIdentified = proved
                case .accepted(let proved) where before.state.isReadyToShare || before.state == .serverError:
                    isIdentified = proved
                default: break
                }
                #expect(machine.isIdentified == isIdentified, "seed \(seed): \(before), \(event)")
                // A token is deleted only if the session has ended.
                if effects.contains(.deleteToken) {
                    #expect([.initial, .inactive].contains(machine.state), "seed \(seed): \(before), \(event)")
                }
                if machine.state == .identified || machine.state == .anonymous {
                    #expect((machine.state == .identified) == isIdentified, "seed \(seed): \(before), \(event)")
                }
                if machine.state == .initial && before.state != .initial && event != .begun {
                    #expect(effects.contains(.openSession) && !isIdentified, "seed \(seed): \(before), \(event)")
                }
                // The time of the next attempt is that of the schedule.
                for case .retry(let time) in effects { #expect(machine.schedule.retryAt == time) }
            }
        }
    }
}
