import Foundation
import Kith
import KithModel
import KithServer

/// Checks the world by the laws alone. It uses what people did, what getters and signals show, rejections, messages,
/// and the servers' records.
///
/// It does not know outboxes, plans or tokens, and names no collection: records are judged by their schemas. What is
/// special about items and people is judged by ``ItemOrderAuditor`` and ``PeopleAuditor``.
final class Auditor {
    typealias Seat = RecordAction.Seat

    /// An edit that the server has refused, on whichever device the rejection appears.
    struct Refusal: Hashable {
        let mutation: MutationID
        let record: RecordID<Never>
        let values: Fields
    }

    /// What one reading of a device shows.
    struct Shown {
        let reading: Int
        let lists: [ShownRecord]
        /// The records of the lists.
        let records: [ShownRecord]
        /// Both.
        let all: [ShownRecord]
        let listIDs: Set<ListID>
        let recordIDs: Set<RecordID<Never>>
    }

    /// The schemas of all collections in the world.
    let schemas: [RecordCollection: Schema]
    private var pending: [RecordAction] = []
    /// The values written in the same transaction to records that only their keys identify; nil for a removed record.
    private var pendingKeyed: [(key: RecordKey, values: Fields?)] = []
    /// The texts of a restored record that others may have written. The device that restores it sends them, too.
    private var pendingTexts: [String] = []
    private var seat = Seat(device: 0, account: nil)
    private var group: Int?
    private var groups = 0
    var actions: [RecordAction] = []
    /// The actions of each seat that its getters must still show.
    var outstanding: [Seat: Outstanding] = [:]
    /// The mutations that each device has sent, by device identity and number.
    var carried: [Int: [DeviceID: [Int64: Mutation]]] = [:]
    /// The mutations that each device knows to be taken.
    var settled: [Int: Set<MutationID>] = [:]
    /// The seats that have written a text.
    var authors: [String: Set<Seat>] = [:]
    /// The texts that each field of a record has had on the server, in order.
    var history: [RecordID<Never>: [String: [FieldValue]]] = [:]
    /// What each device has shown last.
    var lastShown: [Int: Shown] = [:]
    /// What each seat has shown.
    var seats: [Seat: SeatHistory] = [:]
    /// For each group: contains false if a part was applied, and true if a part was refused.
    var groupFates: [Int: Set<Bool>] = [:]
    /// The values that each sum has had on the server.
    var sums: [Spot: Set<Int64>] = [:]
    /// Records whose sums cannot be checked.
    var uncountable: Set<RecordID<Never>> = []
    /// The records that are deleted on the server.
    var dead: [RecordID<Never>: FeedID] = [:]
    /// All rejections that any device has had. With copies, the same mutation may have different content.
    var rejections: Set<Refusal> = []
    /// The feeds that each account could read at any time, according to its server.
    var readable: [AccountID: Set<FeedID>] = [:]
    /// Additions that waited when a replica was copied. Both copies may send them.
    var ambiguous: [Spot: Int64] = [:]
    /// The additions that a copy may have inherited from the devices that it was copied from.
    var inherited: [Int: [(sum: Spot, amount: Int64)]] = [:]
    /// The copies: from which device to which, and the number of actions at that time.
    var copies: [(from: Int, to: Int, actions: Int)] = []
    /// The lists of each device that the server has refused, because a list of another account has the same identity.
    var takenLists: [Int: Set<ListID>] = [:]
    /// The records that devices have made again under other identities, with their new identities.
    var successors: [RecordID<Never>: Set<RecordID<Never>>] = [:]
    private(set) var wasRestored = false
    var wasCopied: Bool { !copies.isEmpty }

    init(schemas: [RecordCollection: Schema]) { self.schemas = schemas }

    // MARK: Actions

    func begin(_ device: Int, account: AccountID?, together: Bool) {
        seat = Seat(device: device, account: account)
        rollBack()
        if together { groups += 1 }
        // Before the first session, the lists of a group can still move to different stores.
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
    func made(_ list: ListID, _ texts: [String: String]) { add(.madeList(texts), list, list) }
    func removedList(_ list: ListID) { add(.removedList, list, list) }
    func left(_ list: ListID) { add(.left, list, list) }
    func wrote(_ values: Fields, of key: RecordKey) { pendingKeyed.append((key, values)) }
    func removed(_ key: RecordKey) { pendingKeyed.append((key, nil)) }

    private func add(_ kind: RecordAction.Kind, _ record: RecordID<some Any>, _ list: ListID) {
        pending.append(RecordAction(kind: kind, record: record.retyped(), list: list, seat: seat, group: group))
    }

    func rollBack() { (pending, pendingKeyed, pendingTexts) = ([], [], []) }

    func commit() {
        for action in pending {
            outstanding[action.seat, default: Outstanding()].note(action)
            if case .putBack = action.kind { uncountable.insert(action.record) }
            if action.kind == .tookBack {
                seats[action.seat]?.buried.remove(action.record)
                uncountable.insert(action.record)
            }
            for text in action.kind.texts.values { authors[text, default: []].insert(action.seat) }
        }
        for text in pendingTexts where authors[text] != nil { authors[text]?.insert(seat) }
        for (key, values) in pendingKeyed { outstanding[seat, default: Outstanding()].note(key, values) }
        actions += pending
        rollBack()
    }

    // MARK: Reports from the world

    /// A device has a new session. It takes over what was created without an account, or by an account that is lost.
    func adopted(_ device: Int, _ account: AccountID, from before: AccountID?) {
        let (old, seat) = (Seat(device: device, account: before), Seat(device: device, account: account))
        if let own = outstanding.removeValue(forKey: old) { outstanding[seat] = own }
        if let known = seats.removeValue(forKey: old) { seats[seat] = known }
        for text in authors.keys where authors[text]?.remove(old) != nil { authors[text]?.insert(seat) }
        for index in actions.indices where actions[index].seat == old { actions[index].seat = seat }
    }

    /// A device has a new session, and its account has taken over some lists of the former account, which the server
    /// has refused. The former account's store may have changed, so it is not judged from here on.
    func tookOver(
        _ lists: [ShownRecord], _ records: [ShownRecord], _ device: Int, _ account: AccountID, from before: AccountID
    ) {
        let (old, seat) = (Seat(device: device, account: before), Seat(device: device, account: account))
        for list in lists {
            let texts = texts(of: list).filter { schemas[list.collection]?[$0.key]?.isRequired ?? false }
            actions.append(
                RecordAction(kind: .madeList(texts), record: list.id, list: list.list, seat: seat, group: nil))
        }
        let taken = Set(lists.map(\.list))
        let written = actions.filter { $0.seat == old && taken.contains($0.list) }.flatMap(\.kind.texts.values)
        let shown = (lists + records).flatMap { texts(of: $0).values }
        for text in written + shown where authors[text] != nil { authors[text]?.insert(seat) }
        outstanding[old] = nil
        seats[old]?.forgetRecords()
    }

    func restored() {
        wasRestored = true
        history = [:]
        groupFates = [:]
        dead = [:]
        settled = [:]
        for seat in seats.keys { seats[seat]?.forgetRecords() }
        for seat in outstanding.keys {
            outstanding[seat]?.removed = []
            outstanding[seat]?.removedKeys = []
        }
    }

    /// An account has joined a list, perhaps again. The server has created the record with this key.
    func joined(_ account: AccountID, _ list: ListID, as key: RecordKey) {
        for seat in outstanding.keys where seat.account == account {
            outstanding[seat]?.removed.remove(list.retyped())
        }
        for seat in outstanding.keys { outstanding[seat]?.removedKeys.remove(key) }
    }

    /// A device sends a request. The request's device identity is not sufficient to tell which device, because of
    /// copies.
    func sent(_ request: SyncRequest, by device: Int) {
        for mutation in request.mutations {
            carried[device, default: [:]][request.device, default: [:]][mutation.number] = mutation
        }
    }

    /// The device has received the acknowledgement of these mutations.
    func acknowledged(_ request: SyncRequest, _ answer: SyncAnswer, on device: Int) {
        let seat = Seat(device: device, account: request.account)
        let sent = carried[device]?[request.device] ?? [:]
        // The server tells a copy which of its mutations the other copy has sent.
        let told = Set(answer.outcomes.map(\.number))
        for outcome in answer.outcomes where outcome.code == .idTaken && answer.device == .recognised {
            guard let mutation = sent[outcome.number] else { continue }
            takenLists[device, default: []].insert(mutation.feed.retyped())
        }
        // Of what is in flight, a request with mutations acknowledges only what it contains.
        let last = min(answer.acknowledged.number, request.mutations.last?.number ?? .max)
        for (number, mutation) in sent {
            switch answer.device {
            case .recognised: guard number <= last else { continue }
            case .copied: guard told.contains(number) else { continue }
            case .forgotten: continue
            }
            guard settled[device, default: []].insert(mutation.id).inserted else { continue }
            let key = key(of: mutation)
            outstanding[seat]?.settle(mutation, of: key)
            // Taken with an earlier request, so this answer need not have the record's new state.
            if request.mutations.isEmpty { uncountable.insert(mutation.record) }
        }
    }

    // MARK: Schemas

    /// The key of the record that a mutation changes.
    private func key(of mutation: Mutation) -> RecordKey {
        RecordKey(
            mutation.collection, in: isInList(mutation.collection) ? .ofList(mutation.feed) : .own, mutation.record)
    }

    /// The key of the record that a rejected edit was for.
    func key(of rejection: Rejection) -> RecordKey {
        let list = isInList(rejection.collection) ? rejection.listID : nil
        return RecordKey(rejection.collection, in: ReplicaFeed(id: list?.retyped()), rejection.record)
    }

    private func isInList(_ collection: RecordCollection) -> Bool { schemas[collection]?.home == .list }

    /// The texts of a record that people can write freely, by field.
    func texts(of record: ShownRecord) -> [String: String] {
        let schema = schemas[record.collection]
        return record.fields.filter { schema?[$0.key]?.isFreeText ?? false }.compactMapValues(\.text)
    }
}
