import Foundation
import KithModel
import KithServer
import Testing

@Suite("The register of who is online")
struct PresenceRegisterTests {
    private typealias Circle = PresenceRegister.Circle

    private let ada = AccountID(UUID())
    private let grace = AccountID(UUID())
    private let device = DeviceID(UUID())
    private let noon = HandClock.start

    /// A register in which these people are connected with each other, each with a stream, and have been told who is there.
    private func register(_ people: [AccountID]) -> PresenceRegister {
        var register = PresenceRegister()
        for (id, person) in people.enumerated() {
            _ = register.open(id, of: person, device, as: .online, at: noon)
            enter(Circle(peers: Set(people).subtracting([person])), of: person, &register)
        }
        for id in people.indices { _ = register.take(id) }
        return register
    }

    @discardableResult
    private func enter(_ circle: Circle, of account: AccountID, _ register: inout PresenceRegister) -> Set<Int> {
        let question = register.ask([account])[account] ?? 0
        return register.enter(circle, of: account, asked: question, at: noon)
    }

    private func event(_ account: AccountID, _ presence: Presence?) -> PresenceEvent {
        PresenceEvent(isWhole: false, people: [.init(account: account, presence: presence)])
    }

    @Test("The first event names who is online; then each change comes once, with its time") func comingAndGoing() {
        var register = PresenceRegister()
        #expect(register.open(0, of: ada, device, as: .online, at: noon).isEmpty)
        #expect(register.take(0) == nil)
        #expect(enter(Circle(peers: [grace]), of: ada, &register) == [0])
        #expect(register.take(0) == PresenceEvent(isWhole: true, people: []))
        #expect(register.take(0) == nil)

        #expect(register.open(1, of: grace, device, as: .busy, at: noon).isEmpty)
        #expect(enter(Circle(peers: [ada]), of: grace, &register) == [0, 1])
        #expect(register.take(0) == event(grace, Presence(.busy)))
        #expect(
            register.take(1) == PresenceEvent(isWhole: true, people: [.init(account: ada, presence: Presence(.online))])
        )

        #expect(register.close(1, at: noon + .seconds(60)) == [0])
        #expect(register.take(0) == event(grace, Presence(.offline, lastSeen: noon + .seconds(60))))
        #expect(register.unwrittenSeen == [grace: noon + .seconds(60)])
        register.noteWritten([grace: noon + .seconds(50)])
        #expect(register.seen(grace) == noon + .seconds(60), "An earlier time was written, and this one not yet.")
        register.noteWritten([grace: noon + .seconds(60)])
        #expect(register.unwrittenSeen.isEmpty && register.seen(grace) == nil)
    }

    @Test("Changes that nobody reads in between are reported in their final state") func gathering() {
        var register = register([ada, grace])
        for state in [Presence.State.away, .busy, .invisible, .away] {
            #expect(register.set(state, of: grace, device, at: noon) == [0])
        }
        #expect(register.take(0) == event(grace, Presence(.away)))
        #expect(register.set(.away, of: grace, device, at: noon) == [])
        #expect(register.take(0) == nil)
        #expect(register.set(.away, of: grace, DeviceID(UUID()), at: noon) == nil)
    }

    @Test("With several devices an explicit state counts first, then the most available one") func severalDevices() {
        var register = register([ada])
        let cases: [([Presence.State], Presence.State)] = [
            ([.away, .online], .online), ([.online, .busy], .busy), ([.away, .busy], .busy), ([.away, .away], .away),
            ([.online, .invisible], .offline), ([.busy, .invisible, .away], .offline),
        ]
        for (states, expected) in cases {
            let person = AccountID(UUID())
            for (index, state) in states.enumerated() {
                _ = register.open(100 + index, of: person, DeviceID(UUID()), as: state, at: noon)
            }
            #expect(register.state(of: person) == expected, "\(states)")
            for index in states.indices { _ = register.close(100 + index, at: noon) }
            #expect(register.state(of: person) == .offline)
        }
    }

    @Test("Trap: A device opens a stream while its last one is lost unnoticed – its new state counts")
    func lostStream() {
        var register = register([ada, grace])
        let tablet = DeviceID(UUID())
        _ = register.open(5, of: grace, tablet, as: .busy, at: noon)
        _ = register.open(6, of: grace, tablet, as: .away, at: noon)
        #expect(register.state(of: grace) == .online, "Her phone is online.")
        _ = register.open(7, of: grace, device, as: .invisible, at: noon)
        #expect(register.state(of: grace) == .offline)
        _ = register.open(8, of: grace, device, as: .away, at: noon)
        #expect(register.state(of: grace) == .away)
    }

    @Test("A stream that has chosen no presence follows the other streams of its device") func withoutChoice() {
        var register = register([ada])
        _ = register.open(5, of: grace, device, as: .invisible, at: noon)
        _ = register.open(6, of: grace, device, as: nil, at: noon)
        #expect(register.state(of: grace) == .offline, "She stays invisible.")
        _ = register.close(6, at: noon)
        #expect(register.state(of: grace) == .offline)
        _ = register.open(7, of: grace, device, as: nil, at: noon)
        _ = register.open(8, of: grace, device, as: .busy, at: noon)
        #expect(register.state(of: grace) == .busy)
        _ = register.close(5, at: noon)
        _ = register.close(8, at: noon)
        #expect(register.state(of: grace) == .online, "Nothing is chosen any more.")
        _ = register.set(.away, of: grace, device, at: noon)
        #expect(register.state(of: grace) == .away)
        _ = register.open(9, of: grace, DeviceID(UUID()), as: nil, at: noon)
        #expect(register.state(of: grace) == .online, "The choice of one device is not that of another.")
    }

    @Test("An invisible person appears to have left, and leaves without a trace") func invisible() {
        var register = register([ada, grace])
        #expect(register.set(.invisible, of: grace, device, at: noon + .seconds(5)) == [0])
        #expect(register.take(0) == event(grace, Presence(.offline, lastSeen: noon + .seconds(5))))
        #expect(register.close(1, at: noon + .seconds(9)).isEmpty)
        #expect(register.unwrittenSeen == [grace: noon + .seconds(5)])
        register.noteWritten(register.unwrittenSeen)
        // One who comes back invisible was never seen coming.
        #expect(register.open(2, of: grace, device, as: .invisible, at: noon).isEmpty)
        #expect(enter(Circle(peers: [ada]), of: grace, &register) == [2])
        #expect(register.take(0) == nil)
        #expect(register.close(2, at: noon + .seconds(20)).isEmpty && register.unwrittenSeen.isEmpty)
    }

    @Test("A blocked person sees the other leave; presence is visible only if both sides allow it") func blocked() {
        var register = register([ada, grace])
        #expect(enter(Circle(), of: grace, &register) == [0, 1])
        #expect(register.take(0) == event(grace, Presence(.offline, lastSeen: noon)))
        // The blocker knows nothing of the blocked.
        #expect(register.take(1) == event(ada, nil))
        #expect(register.set(.busy, of: grace, device, at: noon)?.isEmpty == true)
        #expect(register.set(.busy, of: ada, device, at: noon)?.isEmpty == true)
        #expect(enter(Circle(peers: [ada]), of: grace, &register) == [0, 1])
        #expect(register.take(0) == event(grace, Presence(.busy)))
        #expect(register.take(1) == event(ada, Presence(.busy)))
    }

    @Test("A blocked person gets the time that their contact record has, to the millisecond") func blockedWhen() {
        var register = register([ada, grace])
        let then = noon + .milliseconds(7)
        enter(Circle(blocked: [ada: then]), of: grace, &register)
        #expect(register.take(0) == event(grace, Presence(.offline, lastSeen: then)))
        // That she then hides her presence is not heard of: to others who saw her go it is not either.
        enter(Circle(showsPresence: false, blocked: [ada: then]), of: grace, &register)
        #expect(register.take(0) == nil)
    }

    @Test(
        "Trap: A block was decided before a stream opened – no event has a time before the blocked person saw the other",
        arguments: [NetworkContact.neverSeen, HandClock.start - .milliseconds(7)])
    func blockedBefore(time: Timestamp) {
        var register = register([ada, grace])
        enter(Circle(blocked: [ada: time]), of: grace, &register)
        #expect(register.take(0) == event(grace, Presence(.offline)))
    }

    @Test("A former connection is forgotten; a person who was never connected is never named") func relations() {
        var register = register([ada, grace])
        let stranger = AccountID(UUID())
        _ = register.open(7, of: stranger, device, as: .online, at: noon)
        // A stranger's wish alone shows nothing: ada does not let them know of her.
        #expect(enter(Circle(peers: [ada, grace]), of: stranger, &register) == [7])
        #expect(register.take(7) == PresenceEvent(isWhole: true, people: []))
        #expect(enter(Circle(), of: ada, &register).contains(0))
        #expect(register.take(0) == event(grace, nil))
    }

    @Test("Hidden presence is unknown, and hidden times are not sent") func hidden() {
        var register = register([ada, grace])
        enter(Circle(peers: [ada], showsLastSeen: false), of: grace, &register)
        #expect(register.take(0) == nil)
        _ = register.close(1, at: noon)
        #expect(register.take(0) == event(grace, Presence(.offline)))
        _ = register.open(2, of: grace, device, as: .online, at: noon)
        enter(Circle(peers: [ada], showsPresence: false), of: grace, &register)
        #expect(register.take(0) == nil)
        enter(Circle(peers: [ada], showsPresence: true), of: grace, &register)
        #expect(register.take(0) == event(grace, Presence(.online)))
        enter(Circle(peers: [ada], showsPresence: false), of: grace, &register)
        #expect(register.take(0) == event(grace, nil))
        // While it is hidden nobody hears of a going, nor of a block.
        enter(Circle(showsPresence: false, blocked: [ada: noon]), of: grace, &register)
        #expect(register.take(0) == nil)
        enter(Circle(peers: [ada], showsPresence: false), of: grace, &register)
        // She sees others all the same.
        #expect(register.set(.away, of: ada, device, at: noon) == [2])
    }

    @Test("A result that was read before a later request is discarded") func overtaken() {
        var register = register([ada, grace])
        let early = register.ask([grace])[grace] ?? 0
        let late = register.ask([grace])[grace] ?? 0
        #expect(!register.enter(Circle(), of: grace, asked: late, at: noon).isEmpty)
        #expect(register.enter(Circle(peers: [ada]), of: grace, asked: early, at: noon).isEmpty)
        #expect(register.take(0) == event(grace, Presence(.offline, lastSeen: noon)))
        #expect(register.unansweredAccounts.isEmpty)
    }

    @Test("A result is sent even if there is a later request, which is answered afterwards")
    func askedAllTheTime() {
        var register = register([ada, grace])
        let questions = (1...3).compactMap { _ in register.ask([grace])[grace] }
        #expect(!register.enter(Circle(), of: grace, asked: questions[0], at: noon).isEmpty)
        #expect(register.take(0) == event(grace, Presence(.offline, lastSeen: noon)))
        #expect(register.unansweredAccounts == [grace])
        #expect(!register.enter(Circle(peers: [ada]), of: grace, asked: questions[2], at: noon).isEmpty)
        #expect(register.take(0) == event(grace, Presence(.online)))
        #expect(register.unansweredAccounts.isEmpty)
    }

    @Test("A result for a person who left and came back meanwhile is discarded") func cameAgain() {
        var register = register([ada, grace])
        let before = register.ask([grace])[grace] ?? 0
        _ = register.close(1, at: noon)
        _ = register.open(1, of: grace, device, as: .online, at: noon)
        _ = register.take(0)
        #expect(register.enter(Circle(peers: [ada]), of: grace, asked: before, at: noon).isEmpty)
        #expect(!enter(Circle(peers: [ada]), of: grace, &register).isEmpty)
    }

    @Test("If too many changes wait for one listener, everybody is named again") func overflow() {
        let friends = (0...PresenceRegister.waiting).map { _ in AccountID(UUID()) }
        var register = register([ada])
        enter(Circle(peers: Set(friends)), of: ada, &register)
        for (index, friend) in friends.enumerated() {
            _ = register.open(index + 1, of: friend, device, as: .online, at: noon)
            enter(Circle(peers: [ada]), of: friend, &register)
        }
        let event = register.take(0)
        #expect(event?.isWhole == true && event?.people.map(\.account) == friends.sorted())
        #expect(register.take(0) == nil)
    }

    @Test("A second stream of a person gets everything, and its end makes nobody leave") func secondStream() {
        var register = register([ada, grace])
        #expect(register.open(5, of: grace, DeviceID(UUID()), as: .away, at: noon).isEmpty)
        #expect(enter(Circle(peers: [ada]), of: grace, &register) == [5])
        #expect(
            register.take(5) == PresenceEvent(isWhole: true, people: [.init(account: ada, presence: Presence(.online))])
        )
        #expect(register.close(5, at: noon).isEmpty && register.unwrittenSeen.isEmpty)
    }

    @Test("A listener is not woken for people that it does not watch") func idle() {
        var register = register([ada, grace])
        let alone = AccountID(UUID())
        #expect(register.open(9, of: alone, device, as: .online, at: noon).isEmpty)
        #expect(enter(Circle(), of: alone, &register) == [9])
        #expect(register.set(.busy, of: alone, device, at: noon) == [])
        #expect(register.close(9, at: noon).isEmpty)
    }
}

@Suite("A contact's fields are scanned without creating them")
struct ContactScanTests {
    @Test("The scan of a record finds the values of its fields", arguments: 0..<200 as Range<UInt64>)
    func same(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        let odd = [
            #"","asked":1,"wish":"connect"#, #"\"#, #"{"asked":1}"#, "é\n\u{1}", "asked", "isBlocked", "", "}],",
        ]
        var fields: Fields = [:]
        if Bool.random(using: &dice) { fields["asked"] = 1 }
        if Bool.random(using: &dice) { fields["isBlocked"] = .flag(Bool.random(using: &dice)) }
        if Bool.random(using: &dice) { fields["blocked"] = .integer(Int64.random(in: 0...(1 << 50), using: &dice)) }
        if Bool.random(using: &dice) {
            fields["wish"] = .text(NetworkContact.Wish.allCases.randomElement(using: &dice)?.rawValue ?? "")
        }
        for name in ["given", "aa", "zz", #"as"ked"#, "status"] where Bool.random(using: &dice) {
            let text = FieldValue.text(odd.randomElement(using: &dice) ?? "")
            fields[name] = [
                text, .array([text, .object(["asked": 1, "wish": "connect"])]), .null, .number(1.5), true,
            ]
            .randomElement(using: &dice)
        }
        let contact = NetworkContact(id: AccountID(UUID()), fields, modified: HandClock.start)
        let scan = try ContactScan(StoredText.text(fields))
        #expect(scan.relation == contact.relation, "\(StoredText.text(fields))")
        #expect(scan.isBlocked == contact.isBlocked, "\(StoredText.text(fields))")
        let isConnected = contact.relation == .connected
        #expect(scan.letsKnow == (isConnected && !contact.isBlocked), "\(StoredText.text(fields))")
        let blocked = isConnected && contact.isBlocked ? fields["blocked"]?.integer : nil
        #expect(scan.blocked?.milliseconds == blocked, "\(StoredText.text(fields))")
    }
}
