/// The origin of a change.
public enum ChangeOrigin: String, Hashable, Sendable {
    /// Not a change: the content at the time when the listener was added.
    case state
    /// This device.
    case device
    /// The server: another device or another person.
    case server
}
