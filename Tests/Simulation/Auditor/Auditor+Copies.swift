import Kith
import KithModel

/// Law 11 (copies are noticed): each copy takes its own identity, and no edit of either is lost.
extension Auditor {
    /// The newest copy of a device.
    func copy(of device: Int) -> Int? { copies.last { $0.from == device }?.to }

    func copied(_ from: Int, to: Int, _ device: SimulatedDevice) throws {
        copies.append((from, to, actions.count))
        func copy<Value>(_ known: inout [Seat: Value]) {
            for (seat, value) in known where seat.device == from {
                known[Seat(device: to, account: seat.account)] = value
            }
        }
        copy(&outstanding)
        copy(&seats)
        for (text, seats) in authors {
            for seat in seats where seat.device == from {
                authors[text]?.insert(Seat(device: to, account: seat.account))
            }
        }
        carried[to] = carried[from]
        settled[to] = settled[from]
        // The auditor does not know whether an addition still waits. So every addition by this device may be applied
        // twice, and so may every addition that the device has inherited as a copy of another.
        let additions: [(Spot, Int64)] = actions.compactMap { action in
            guard action.seat.device == from, case .increased(let sum, let amount) = action.kind else { return nil }
            return (Spot(record: action.record, field: sum), Int64(amount))
        }
        inherited[to] = inherited[from, default: []] + additions
        for (sum, amount) in inherited[to] ?? [] { ambiguous[sum, default: 0] += amount }
    }

    /// A device is lost. Its copy has to send the edits that were made before the copying.
    func lost(_ device: Int, heir: Int) {
        guard let copy = copies.last(where: { $0.from == device && $0.to == heir }) else { return }
        for index in 0..<copy.actions where actions[index].seat.device == device { actions[index].seat.device = heir }
    }

    /// A seat has made the lists again that ``takenLists`` names, under other identities. What it has done to the old records
    /// counts for the new ones.
    func remade(_ seat: Seat, _ before: [ShownRecord], _ after: [ShownRecord]) {
        let known = Set(before.map(\.id))
        for list in (takenLists.removeValue(forKey: seat.device) ?? []).sorted() {
            let old = before.filter { $0.list == list }
            guard let first = old.first(where: { $0.id == list.retyped() }),
                let new = after.first(where: { new in
                    new.collection == first.collection && !known.contains(new.id) && texts(of: new) == texts(of: first)
                })
            else { continue }
            var ids: [RecordID<Never>: RecordID<Never>] = [first.id: new.id]
            var rest = after.filter { $0.list == new.list && $0.id != new.id }
            for record in old where record.id != first.id {
                let twin = rest.firstIndex { twin in
                    twin.collection == record.collection && texts(of: twin) == texts(of: record)
                        && twin.fields["position"] == record.fields["position"]
                }
                if let twin { ids[record.id] = rest.remove(at: twin).id }
            }
            for (old, new) in ids { successors[old, default: []].insert(new) }
            for index in actions.indices where actions[index].seat == seat && actions[index].list == list {
                actions[index].list = new.list
                actions[index].record = ids[actions[index].record] ?? actions[index].record
            }
            let name = texts(of: new).filter { schemas[new.collection]?[$0.key]?.isRequired ?? false }
            actions.append(RecordAction(kind: .madeList(name), record: new.id, list: new.list, seat: seat, group: nil))
        }
    }

    /// The identities of a record: its own, and those under which devices have made it again.
    func identities(of record: RecordID<Never>) -> Set<RecordID<Never>> {
        successors[record, default: []].reduce([record]) { $0.union(identities(of: $1)) }
    }

    /// If two devices have both synced since one was copied from the other, they must not use the same identity in the
    /// same account. An identity only counts within its account: two that a restored server gave to two accounts cannot
    /// be confused.
    func judgeCopies(in world: World) throws {
        struct Identity: Hashable {
            let account: AccountID?
            let device: DeviceID
        }
        var owners: [Identity: String] = [:]
        for index in world.living {
            let device = world.devices[index]
            let content = try device.content()
            guard content.account.state == .anonymous else { continue }
            let identity = Identity(account: content.account.id, device: content.account.device)
            if let other = owners.updateValue(device.name, forKey: identity) {
                throw world.fail(.copiesAreNoticed, "\(other) and \(device.name) both are \(content.account.device)")
            }
        }
    }
}
