import Kith
import KithModel

/// Law 12 (forward only): an older version preserves what it does not know.
extension Auditor {
    /// In each record of a request that still exists, the fields that the sender does not know are unchanged.
    func judgeCarrying(
        _ before: [Place: Fields], _ after: [Place: Fields], in request: SyncRequest, from device: SimulatedDevice,
        in world: World
    ) throws {
        for mutation in request.mutations {
            let place = Place(feed: mutation.feed, record: mutation.record)
            guard let old = before[place], let new = after[place] else { continue }
            for name in device.version.laterFields[mutation.collection] ?? [] where old[name] != new[name] {
                throw world.fail(
                    .forwardOnly,
                    "\(device.name) does not know “\(name)” and has changed it in \(mutation.record): from \(String(describing: old[name])) to \(String(describing: new[name]))"
                )
            }
        }
    }

    /// The law that a difference between a device and its server breaks. If the two agree in what the device's version
    /// knows, the device has not preserved the rest.
    func law(_ own: [String], _ server: [String], of device: SimulatedDevice) -> Law {
        guard !device.version.isNewest, own.count == server.count else { return .convergence }
        return .forwardOnly
    }
}
