/// The programmes of a server: the answer of `GET /v1/programmes`.
public struct ShareProgrammeList: Hashable, Sendable, Codable {
    /// The programmes, sorted by their names; empty if the server has none, and sharing is off.
    public var programmes: [ShareProgramme]

    /// Creates a list of these programmes.
    public init(programmes: [ShareProgramme]) { self.programmes = programmes }
}
