import KithModel
import KithServer

/// A live stream from a server to a device, as far as it tells who is online.
struct SimulatedStream {
    let id: PresenceRegister.ID
    let server: SimulatedServer
    let account: AccountID
    let device: Int
    /// The device's identity when it opened the stream.
    let identity: DeviceID
    /// What the device wants to be shown as.
    var state: Presence.State
}

/// What a server has still to read after a commit: whom an account lets know of it.
struct CircleQuestion {
    let server: SimulatedServer
    let account: AccountID
    let number: Int
    /// What it has read, and has not entered yet.
    var circle: PresenceRegister.Circle?
}
