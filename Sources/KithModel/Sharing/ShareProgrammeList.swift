/// The programmes of a server: the answer of `GET /v1/programmes`.
package struct ShareProgrammeList: Hashable, Sendable, Codable {
    /// The programmes, sorted by their names; empty if the server has none, and sharing is off.
    package var programmes: [ShareProgramme]

    /// Creates a list of these programmes.
    package init(programmes: [ShareProgramme]) { self.programmes = programmes }
}
