import Foundation
import Kith
import KithModel
import KithServer

/// Judges the world by the laws alone: by what people did, what getters and
/// signals show, what is rejected, what travels, and what the servers hold.
///
/// It knows nothing of outboxes, plans or tokens.
final class Auditor {
    typealias Seat = Deed.Seat

    /// What the server refused, on whichever devices it is told.
    struct Refusal: Hashable {
        let mutation: MutationID
        let record: RecordID<Never>
        let values: Fields
    }

    private var pending: [Deed] = []
    /// What is written of people in the same transaction; nil takes them out of their list.
    private var pendingPeople: [(person: PersonalRecord, values: Fields?)] = []
    /// What others may have written of an item that comes back: whoever takes it back sends it, too.
    private var pendingTexts: [String] = []
    private var seat = Seat(device: 0, account: nil)
    private var group: Int?
    private var groups = 0
    var deeds: [Deed] = []
    /// What each seat has done that its getters show.
    var outstanding: [Seat: Outstanding] = [:]
    /// What each device has sent, by the identity and the number that it was sent under.
    var carried: [Int: [DeviceID: [Int64: Mutation]]] = [:]
    /// The mutations that each device knows to be taken or refused.
    var settled: [Int: Set<MutationID>] = [:]
    /// Who has written a text.
    var authors: [String: Set<Seat>] = [:]
    /// The texts that each field has had on the server, in their order there.
    var history: [Spot: [FieldValue]] = [:]
    /// The newest of those that each seat has shown.
    var shown: [Seat: [Spot: Int]] = [:]
    /// Whether something of each group was taken (false), or refused (true).
    var groupFates: [Int: Set<Bool>] = [:]
    /// The values that each sum has had on the server.
    var sums: [Spot: Set<Int64>] = [:]
    /// Records whose sums cannot be followed.
    var uncountable: Set<RecordID<Never>> = []
    /// The records that are deleted on the server.
    var dead: [RecordID<Never>: FeedID] = [:]
    /// Every record that each seat has shown.
    var seen: [Seat: Set<RecordID<Never>>] = [:]
    /// The deleted records that each seat has shown and shows no longer.
    var buried: [Seat: Set<RecordID<Never>>] = [:]
    /// Every rejection that any device has kept. Copies may have folded other edits into the same mutation.
    var rejections: Set<Refusal> = []
    /// The rejections that each seat has shown and nobody has dismissed there.
    var kept: [Seat: Set<MutationID>] = [:]
    /// Those that somebody has dismissed.
    var dismissed: [Seat: Set<MutationID>] = [:]
    /// The lists that an account could ever read, by what its server has.
    var readable: [AccountID: Set<FeedID>] = [:]
    /// Who was ever connected with whom.
    var everConnected: Set<Pair> = []
    /// What waited to be added to a sum when a replica was copied: it may be added by both.
    var ambiguous: [Spot: Int64] = [:]
    /// The additions that a copy may hold of those that it was copied from.
    var inherited: [Int: [(sum: Spot, amount: Int64)]] = [:]
    /// Which device was copied onto which, and how much had been done by then.
    var copies: [(from: Int, to: Int, deeds: Int)] = []
    private(set) var wasRestored = false
    var wasCopied: Bool { !copies.isEmpty }

    // MARK: Deeds

    func begin(_ device: Int, account: AccountID?, together: Bool) {
        seat = Seat(device: device, account: account)
        rollBack()
        if together { groups += 1 }
        // Before the first session there is nobody who could refuse a part.
        group = together && account != nil ? groups : nil
    }

    func created(
        _ record: RecordID<some Any>, of collection: RecordCollection, in list: ListID, _ texts: [String: String]
    ) {
        add(.created(collection, texts), record, list)
    }
    func wrote(_ field: String, _ value: FieldValue, of record: RecordID<some Any>, in list: ListID) {
        add(.wrote(field, value), record, list)
    }
    func wrote(_ field: String, _ value: FieldValue, of list: ListID) { add(.wrote(field, value), list, list) }
    func increased(_ sum: String, of record: RecordID<some Any>, in list: ListID, by amount: Int) {
        add(.increased(sum, amount), record, list)
    }
    func removed(_ record: RecordID<some Any>, in list: ListID) { add(.removed, record, list) }
    func putBack(_ record: ShownRecord, called texts: [String: String]) {
        add(.putBack(texts), record.id, record.list)
        pendingTexts += record.fields.values.compactMap(\.text)
    }
    func tookBack(_ record: ShownRecord) {
        add(.tookBack, record.id, record.list)
        pendingTexts += record.fields.values.compactMap(\.text)
    }
    func tookBack(_ list: ListID) { add(.tookBack, list, list) }
    func made(_ list: ListID, _ name: String) { add(.madeList(name), list, list) }
    func removedList(_ list: ListID) { add(.removedList, list, list) }
    func left(_ list: ListID) { add(.left, list, list) }
    func wrote(_ values: Fields, of person: PersonalRecord) { pendingPeople.append((person, values)) }
    func expelled(_ person: PersonalRecord) { pendingPeople.append((person, nil)) }

    private func add(_ kind: Deed.Kind, _ record: RecordID<some Any>, _ list: ListID) {
        pending.append(Deed(kind: kind, record: record.retyped(), list: list, seat: seat, group: group))
    }

    func rollBack() { (pending, pendingPeople, pendingTexts) = ([], [], []) }

    func commit() {
        for deed in pending {
            outstanding[deed.seat, default: Outstanding()].note(deed)
            if case .putBack = deed.kind { uncountable.insert(deed.record) }
            if deed.kind == .tookBack {
                buried[deed.seat]?.remove(deed.record)
                uncountable.insert(deed.record)
            }
            for text in deed.kind.texts.values { authors[text, default: []].insert(deed.seat) }
        }
        for text in pendingTexts where authors[text] != nil { authors[text]?.insert(seat) }
        for (person, values) in pendingPeople {
            outstanding[seat, default: Outstanding()].note(person, values)
        }
        deeds += pending
        rollBack()
    }

    // MARK: What the world tells

    /// A device's new session: what was made before, by no account or by one that is lost, belongs to it.
    func adopted(_ device: Int, _ account: AccountID, from before: AccountID?) {
        let (old, seat) = (Seat(device: device, account: before), Seat(device: device, account: account))
        func move<Value>(_ known: inout [Seat: Value]) {
            if let value = known.removeValue(forKey: old) { known[seat] = value }
        }
        move(&outstanding)
        move(&shown)
        move(&seen)
        move(&buried)
        move(&kept)
        move(&dismissed)
        for text in authors.keys where authors[text]?.remove(old) != nil { authors[text]?.insert(seat) }
        for index in deeds.indices where deeds[index].seat == old { deeds[index].seat = seat }
    }

    func restored() {
        wasRestored = true
        history = [:]
        groupFates = [:]
        shown = [:]
        dead = [:]
        buried = [:]
        seen = [:]
        settled = [:]
        for seat in outstanding.keys {
            outstanding[seat]?.removed = []
            outstanding[seat]?.expelled = []
        }
    }

    /// An account has joined a list, which it may have left before.
    func joined(_ account: AccountID, _ list: ListID) {
        for seat in outstanding.keys where seat.account == account {
            outstanding[seat]?.removed.remove(list.retyped())
        }
        for seat in outstanding.keys { outstanding[seat]?.expelled.remove(.member(account, of: list)) }
    }

    /// A device sends a request. Which device, its identity does not say: another may be its copy.
    func sent(_ request: SyncRequest, by device: Int) {
        for mutation in request.mutations {
            carried[device, default: [:]][request.device, default: [:]][mutation.number] = mutation
        }
    }

    /// The device knows that the server has taken these.
    func acknowledged(_ request: SyncRequest, _ answer: SyncAnswer, on device: Int) {
        let seat = Seat(device: device, account: request.account)
        let sent = carried[device]?[request.device] ?? [:]
        // A copy is told which of its mutations the other has sent.
        let told = Set(answer.outcomes.map(\.number))
        let last = request.mutations.last?.number ?? request.acknowledged.number
        for (number, mutation) in sent {
            switch answer.device {
            case .recognised: guard number <= answer.acknowledged.number else { continue }
            case .copied: guard told.contains(number) else { continue }
            case .forgotten: continue
            }
            guard settled[device, default: []].insert(mutation.id).inserted else { continue }
            outstanding[seat]?.settle(mutation)
            // Taken with an earlier attempt: what has become of the record is not told yet.
            if number > last { uncountable.insert(mutation.record) }
        }
    }
}
