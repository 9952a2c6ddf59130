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
    /// The device's number of restarts when it sent the request. If the device has restarted since, the answer is lost.
    let life: Int
    let server: Int
    let message: Message
    /// The earliest step in which the message can arrive.
    var notBefore: Int
}
