import Kith
import KithModel

/// A message on its way between a device and a server.
struct Envelope {
    enum Message {
        case request(SyncRequest)
        /// An answer, and the lists that the account could read when it was given.
        case answer(SyncAnswer, to: SyncRequest, lists: Set<ListID>)
        case refusal(KithError, to: SyncRequest)
    }

    let device: Int
    /// The device's life when it sent the request. An answer to an earlier life finds nobody.
    let life: Int
    let server: Int
    let message: Message
    /// The step before which it does not arrive.
    var notBefore: Int
}
