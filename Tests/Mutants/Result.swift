/// What became of one mutant.
struct Result: Codable {
    /// Whether the tests noticed the mutant.
    enum Verdict: String, Codable {
        /// A test failed, or did not end.
        case killed
        /// Every test that reaches it passed.
        case survived
        /// No test of its folder reaches it, nor does the simulation.
        case unreached
    }

    /// The mutant's ``Candidate/key``.
    let key: String
    let verdict: Verdict
    /// What noticed it.
    let by: String?
    /// How long that took.
    let seconds: Double
}
