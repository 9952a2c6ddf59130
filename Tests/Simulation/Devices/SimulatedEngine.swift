import Kith
import KithModel

/// The sync engine of one device: the real machine, and what it waits for.
struct SimulatedEngine {
    /// A round that is under way.
    struct Round {
        let request: SyncRequest
        /// The time after which the device does not wait for the answer any more.
        let ends: Timestamp
    }

    var machine = SyncMachine()
    /// Events that the machine has not handled yet. A new engine begins with `start`.
    var inbox: [SyncMachine.Event] = [.start]
    /// The time at which it wants to be woken, by the world's clock.
    var wakes: Timestamp?
    var round: Round?
}
