/// A request to evaluate blinded elements: `POST /v1/discovery/evaluations`.
package struct EvaluationRequest: Hashable, Sendable, Codable {
    /// The id of the key to evaluate with.
    package var key: String
    /// The elements, at most ``Limits/evaluations``, each 32 bytes in Base64url.
    package var elements: [String]

    /// Creates a request with these properties.
    package init(key: String, elements: [String]) { (self.key, self.elements) = (key, elements) }
}
