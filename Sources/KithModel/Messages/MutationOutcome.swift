/// The outcome of one mutation.
package struct MutationOutcome: Hashable, Sendable, Codable {
    /// The possible results of a mutation.
    package enum Result: String, Hashable, Sendable, Codable {
        /// The mutation was applied. Only reported to copied replicas, where a missing outcome means "not applied".
        case applied
        /// Later edits had won in all fields.
        case superseded
        /// The mutation was refused, for the reason in `code`. Nothing of it or its group was applied.
        case rejected
    }

    /// The mutation's number.
    package var number: Int64
    /// The result.
    package var result: Result
    /// The reason for a rejection.
    package var code: RejectionCode?
    /// The reason as a sentence for people.
    package var detail: String?

    /// Creates an outcome with these properties.
    package init(number: Int64, result: Result, code: RejectionCode? = nil, detail: String? = nil) {
        self.number = number
        self.result = result
        self.code = code
        self.detail = detail
    }
}
