import Kith
import KithModel

/// The engine of one device: the real machine, and what it waits for.
struct SimulatedEngine {
    /// A round that is under way.
    struct Round {
        let request: SyncRequest
        /// When the device no longer waits for the answer.
        let ends: Timestamp
    }

    var machine = SyncMachine()
    /// What has happened and was not looked at yet. A new engine begins with its start.
    var inbox: [SyncMachine.Event] = [.start]
    /// When it wants to be woken, by the world's time.
    var wakes: Timestamp?
    var round: Round?
}
