/// The answer to an ``EvaluationRequest``: the evaluated elements.
package struct EvaluationAnswer: Hashable, Sendable, Codable {
    /// The elements in the order of the request, each 32 bytes in Base64url.
    package var elements: [String]
    /// The daily quota and its use.
    package var quota: DailyAllowance

    /// Creates an answer with these properties.
    package init(elements: [String], quota: DailyAllowance) { (self.elements, self.quota) = (elements, quota) }
}
