import KithModel
import Synchronization

/// The sessions that have made the pairings of this client, one for each account. A pairing belongs to its account, also if
/// another account is the current one by the time it is used or ended.
final class MadePairings: Sendable {
    private struct Made {
        let pairing: PairingID
        let session: CurrentSession
    }

    private let made = Mutex<[AccountID: Made]>([:])

    /// Notes that a session has made a pairing. An earlier one of its account has ended.
    func note(_ pairing: PairingID, of session: CurrentSession) {
        made.withLock { $0[session.id] = Made(pairing: pairing, session: session) }
    }

    /// The session that has made the pairing; nil if it was made before the client was opened.
    func session(of pairing: PairingID) -> CurrentSession? {
        made.withLock { made in made.values.first { $0.pairing == pairing }?.session }
    }
}
