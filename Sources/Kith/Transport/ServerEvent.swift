/// One server-sent event (WHATWG HTML, section 9.2).
public struct ServerEvent: Hashable, Sendable {
    /// The event's type; `message` if the server gives none.
    public var name: String
    /// The event's data, with its lines joined by newlines.
    public var data: String

    /// Creates an event with these properties.
    public init(name: String, data: String) {
        self.name = name
        self.data = data
    }
}
