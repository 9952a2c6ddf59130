import KithModel
import KithServer

/// A live stream from a server to a device, limited to presence.
struct SimulatedStream {
    let id: PresenceRegister.ID
    let server: SimulatedServer
    let account: AccountID
    let device: Int
    /// The device's identity at the time when it opened the stream.
    let identity: DeviceID
    /// The presence that the device wants to show.
    var state: Presence.State
}

/// A read that a server has to do after a commit: the circle of an account, whose people may see its presence.
struct CircleQuestion {
    let server: SimulatedServer
    let account: AccountID
    let number: Int
    /// The result of the read, if it was not applied yet.
    var circle: PresenceRegister.Circle?
}
