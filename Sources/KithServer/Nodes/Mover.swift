/// Who has moved a feed. A device is not told of what it has done itself.
package enum Mover: Hashable, Sendable {
    /// One device.
    case device(AccountDevice)
    /// The server, or several devices: everyone is told.
    case others
}
