/// The origin of a change.
public enum ChangeOrigin: String, Hashable, Sendable {
    /// The content at the time when the listener was added; not a change.
    case state
    /// This device.
    case device
    /// The server: another device or another person.
    case server
}
