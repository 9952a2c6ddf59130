/// How long a command waits for an answer that it can do without: of the server after an edit, or of an account of contacts.
package enum AnswerTimeout {
    /// The environment variable with the time in whole seconds. Scripts that nobody waits for set it.
    package static let variable = "KITH_ANSWER_SECONDS"
    /// The time without the variable. It is short, because a person waits too.
    package static let standard = Duration.seconds(4)
    private static let allowed: ClosedRange<Int64> = 1...3_600

    /// The time for this environment.
    ///
    /// - Throws: ``Failure`` `usage` if the variable has another value. An empty one counts as unset.
    package static func duration(_ environment: [String: String]) throws -> Duration {
        guard let text = environment[variable], !text.isEmpty else { return standard }
        guard let seconds = Int64(text), allowed.contains(seconds) else {
            throw Failure.usage(
                "\(variable) is “\(text)”. Write a whole number of seconds from 1 to \(allowed.upperBound), or unset it."
            )
        }
        return .seconds(seconds)
    }
}
