import KithServer

/// The terms of a programme in a world of sharing, as the auditor knows them. Its rewards are for both sides.
struct SharingTerms {
    /// Whose code counts.
    let rule: Attribution.Rule
    /// For how long a code and an event count.
    let window: Duration
    /// The event that earns the rewards.
    let event: String
    /// The rewards of one advocate; nil for any number.
    let limit: Int?
}
