/// How long a command waits for the server after an edit, and for an account of contacts that does not answer.
package enum AnswerTimeout {
    /// The environment variable with the time in whole seconds. Scripts that nobody waits for set it.
    package static let variable = "KITH_ANSWER_SECONDS"
    private static let longest: Int64 = 3_600

    /// The time for this environment. It is short without the variable, because a person waits too.
    package static func duration(_ environment: [String: String]) -> Duration {
        let seconds = environment[variable].flatMap { Int64($0) }.flatMap { (1...longest).contains($0) ? $0 : nil }
        return .seconds(seconds ?? 4)
    }
}
