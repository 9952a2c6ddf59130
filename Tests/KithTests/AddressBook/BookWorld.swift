import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel
import Synchronization
import Testing

/// An address book whose sources, clock and numbers a test controls.
struct BookWorld {
    let book: AddressBook
    let clock: Clock
    let alarms = Alarms()
    let credentials = InMemoryCredentialStore()

    /// In memory without a `file`. If `breakable` is given, it has the passwords, and not `credentials`.
    init(
        _ sources: TestSource..., file: URL? = nil, home: URL = URL(filePath: NSHomeDirectory()),
        parser: (any PhoneNumberParser)? = TestNumbers(),
        region: Region? = Region("AT"), locale: Locale = Locale(identifier: "en"),
        unreadChanges: Int = KithClient.unreadChanges, breakable: BreakableCredentialStore? = nil
    ) throws {
        let clock = Clock()
        let alarms = alarms
        let passwords: any CredentialStore = if let breakable { breakable } else { credentials }
        self.clock = clock
        book = AddressBook(
            credentials: passwords,
            AddressBookDependencies(
                world: Dependencies(
                    now: { clock.now }, random: RandomSource(SplitMix64(seed: 1)),
                    pause: { if try await alarms.wait($0) { clock.advance(by: $0) } }),
                phoneNumbers: parser, region: region, locale: locale, unreadChanges: unreadChanges)
        ) { try AddressBookStore(file, home: home) }
        for (number, source) in sources.enumerated() {
            book.addSource(source, id: Self.id(number), name: "Source \(number)")
        }
    }

    static func id(_ number: Int) -> SourceID { SourceID(rawValue: "test-\(number)") }

    /// What is shown, by name.
    var names: [String]? { book.contacts?.map(\.displayName) }

    /// A book with these cards, read.
    static func loaded(_ cards: Card..., locale: Locale = Locale(identifier: "en")) async throws -> BookWorld {
        try await loaded(cards, locale: locale)
    }

    static func loaded(_ cards: [Card], locale: Locale = Locale(identifier: "en")) async throws -> BookWorld {
        let world = try BookWorld(TestSource(cards), locale: locale)
        _ = try await world.book.loaded()
        return world
    }
}

/// Timers that ring when a test says so.
final class Alarms: Sendable {
    private struct State {
        var isPassing = false
        var next = 0
        var set: [Int: (pause: Duration, CheckedContinuation<Void, Never>)] = [:]
        var waiting: [CheckedContinuation<Duration, Never>] = []
    }

    private let state = Mutex(State())

    /// - Returns: Whether the clock is to be moved on.
    fileprivate func wait(_ pause: Duration) async throws -> Bool {
        let (number, isPassing) = state.withLock { state in
            state.next += 1
            return (state.next, state.isPassing)
        }
        if isPassing { return true }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiting = state.withLock { state in
                    if Task.isCancelled { return nil as [CheckedContinuation<Duration, Never>]? }
                    state.set[number] = (pause, continuation)
                    defer { state.waiting = [] }
                    return state.waiting
                }
                guard let waiting else { return continuation.resume() }
                for continuation in waiting { continuation.resume(returning: pause) }
            }
        } onCancel: {
            state.withLock { $0.set.removeValue(forKey: number)?.1 }?.resume()
        }
        try Task.checkCancellation()
        return false
    }

    /// Has all ring, and from now on each at once, as if its time had come.
    func letTimePass() {
        state.withLock { $0.isPassing = true }
        ring()
    }

    /// How many are set.
    var count: Int { state.withLock(\.set.count) }

    /// Returns when one is set, with how long it was set for.
    func isSet() async -> Duration {
        await withCheckedContinuation { continuation in
            let pause = state.withLock { state in
                if let alarm = state.set.values.first { return alarm.pause as Duration? }
                state.waiting.append(continuation)
                return nil
            }
            if let pause { continuation.resume(returning: pause) }
        }
    }

    /// Has all ring.
    func ring() {
        let set = state.withLock { state in
            defer { state.set = [:] }
            return state.set
        }
        for alarm in set.values { alarm.1.resume() }
    }
}

/// Numbers as a small country has them: 00 and 0 are dialled first, Italy keeps its zero, three digits are a short code.
struct TestNumbers: PhoneNumberParser {
    func e164(_ text: String, in region: Region?) -> E164? {
        let digits = text.filter { "0"..."9" ~= $0 }
        if text.hasPrefix("+") { return E164("+" + digits) }
        if digits.hasPrefix("00") { return E164("+" + digits.dropFirst(2)) }
        guard digits.count > 4, let region, let code = Self.codes[region.code] else { return nil }
        if digits.hasPrefix("0"), region.code != "IT" { return E164("+\(code)\(digits.dropFirst())") }
        return E164("+\(code)\(digits)")
    }

    func parse(_ text: String, in region: Region?) -> PhoneNumber {
        PhoneNumber(
            original: text, e164: e164(text, in: region), national: text, international: text, kind: .unknown,
            isValid: false)
    }

    func formatted(asTyped text: String, in region: Region?) -> String { text }

    private static let codes = ["AT": "43", "DE": "49", "IT": "39", "US": "1"]
}

/// A subscriber that writes down what it hears.
@MainActor final class Recorder: AddressBookSubscriber {
    enum Heard: Equatable {
        case changed(added: [String], removed: [String], modified: [String])
        case failed([String])
    }

    nonisolated let name: String
    private(set) var heard: [Heard] = []
    /// The places of the states in what was heard.
    private(set) var states: Set<Int> = []
    /// Called with each, when it is heard.
    var whenHeard: @MainActor (Heard) -> Void = { _ in }
    private var waiting: [(count: Int, CheckedContinuation<Void, Never>)] = []

    nonisolated init(_ name: String = "") { self.name = name }

    func addressBookDidChange(_ changed: Changed<Contact>) {
        if changed.origin == .state { states.insert(heard.count) }
        hear(
            .changed(
                added: changed.added.map(\.displayName), removed: changed.removed.map(\.displayName),
                modified: changed.modified.map(\.displayName)))
    }

    func addressBookDidFailToLoad(_ failures: [SourceStatus]) { hear(.failed(failures.map(\.name))) }

    private func hear(_ news: Heard) {
        heard.append(news)
        whenHeard(news)
        let reached = waiting.filter { $0.count <= heard.count }
        waiting.removeAll { $0.count <= heard.count }
        for waiting in reached { waiting.1.resume() }
    }

    /// Returns true when this was heard.
    func heard(_ news: Heard) async -> Bool {
        while !heard.contains(news) { _ = await hears(heard.count + 1) }
        return true
    }

    /// Returns when so much was heard.
    func hears(_ count: Int) async -> [Heard] {
        if heard.count < count { await withCheckedContinuation { waiting.append((count, $0)) } }
        return heard
    }
}

extension Card {
    /// A person's card.
    init(
        _ given: String, _ family: String? = nil, uid: String? = nil, phones: [String] = [], emails: [String] = []
    ) {
        self.init()
        self.uid = uid
        name.full = [given, family].compactMap(\.self).joined(separator: " ")
        name.components = [Name.Component(.given, given)] + (family.map { [Name.Component(.surname, $0)] } ?? [])
        self.phones = phones.enumerated().map { Phone(id: "\($0)", number: $1) }
        self.emails = emails.enumerated().map { Email(id: "\($0)", address: $1) }
    }

    /// The same card, changed.
    func with(_ change: (inout Card) -> Void) -> Card {
        var card = self
        change(&card)
        return card
    }
}
