import Kith
import KithModel

/// Law 11, copies are noticed: each takes an identity of its own, and nothing that either holds is lost.
extension Auditor {
    /// The newest copy of a device.
    func copy(of device: Int) -> Int? { copies.last { $0.from == device }?.to }

    func copied(_ from: Int, to: Int, _ device: SimulatedDevice) throws {
        copies.append((from, to, deeds.count))
        func copy<Value>(_ known: inout [Seat: Value]) {
            for (seat, value) in known where seat.device == from {
                known[Seat(device: to, account: seat.account)] = value
            }
        }
        copy(&outstanding)
        copy(&shown)
        copy(&seen)
        copy(&buried)
        copy(&kept)
        copy(&dismissed)
        for (text, seats) in authors {
            for seat in seats where seat.device == from {
                authors[text]?.insert(Seat(device: to, account: seat.account))
            }
        }
        carried[to] = carried[from]
        settled[to] = settled[from]
        // Whether an addition still waits, the auditor does not ask: any by this device may be doubled, and any that
        // it has from the device that it is itself a copy of.
        let additions: [(Spot, Int64)] = deeds.compactMap { deed in
            guard deed.seat.device == from, case .increased(let sum, let amount) = deed.kind else { return nil }
            return (Spot(record: deed.record, field: sum), Int64(amount))
        }
        inherited[to] = inherited[from, default: []] + additions
        for (sum, amount) in inherited[to] ?? [] { ambiguous[sum, default: 0] += amount }
    }

    /// A device is gone. What it had done before it was copied is its copy's to send now.
    func lost(_ device: Int, heir: Int) {
        guard let copy = copies.last(where: { $0.from == device && $0.to == heir }) else { return }
        for index in 0..<copy.deeds where deeds[index].seat.device == device { deeds[index].seat.device = heir }
    }

    /// No two devices that have both spoken since they were copied use the same identity in the same account. A number counts
    /// within its account: two that a restored server gave an account each cannot be taken for one another.
    func judgeCopies(in world: World) throws {
        struct Identity: Hashable {
            let account: AccountID?
            let device: DeviceID
        }
        var owners: [Identity: String] = [:]
        for index in world.living {
            let device = world.devices[index]
            let look = try device.replica.look()
            guard look.account.state == .anonymous else { continue }
            let identity = Identity(account: look.account.id, device: look.account.device)
            if let other = owners.updateValue(device.name, forKey: identity) {
                throw world.fail(
                    "Law 11: Copies are noticed", "\(other) and \(device.name) both are \(look.account.device)")
            }
        }
    }
}
