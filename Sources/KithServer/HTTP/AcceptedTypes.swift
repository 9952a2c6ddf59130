/// The media types of an `Accept` header (RFC 9110, section 12.5.1).
package struct AcceptedTypes: Sendable {
    /// Types such as `text/html`, `text/*` and `*/*`, each with its weight from 0 to 1.
    private let weights: [(type: String, weight: Double)]

    /// Reads a header; nil means that there is none.
    package init(_ header: String?) {
        weights = WeightedList.values(of: header, limit: 50).map { ($0.value.lowercased(), $0.weight) }
    }

    /// Whether the client prefers a web page to JSON.
    ///
    /// It must name `text/html`, as browsers do, and not give JSON a higher weight. Programs that accept everything get
    /// JSON.
    package var prefersHTML: Bool {
        guard let html = weight(of: "text/html"), html > 0 else { return false }
        return html >= max(weight(of: "application/json") ?? 0, weight(of: "application/problem+json") ?? 0)
    }

    /// The weight of a type that the client names; nil if it does not name it.
    private func weight(of type: String) -> Double? { weights.first { $0.type == type }?.weight }
}
