public import Kith
public import KithModel

extension Discovery {
    /// A number or an email that uses the service, with its account.
    public typealias Match = Kith.Match

    /// The result of a look through the address book.
    public struct Summary: Hashable, Sendable {
        /// The number of phone numbers and emails that were looked for.
        public internal(set) var identities = 0
        /// How many of them were new. The server evaluated these, and they count towards the daily quota.
        public internal(set) var evaluated = 0
        /// The matches, sorted by number and email.
        public internal(set) var matches: [Match] = []
        /// The matches that are new since the previous look.
        public internal(set) var added: [Match] = []
        /// The matches of the previous look that are gone.
        public internal(set) var removed: [Match] = []
        /// The daily quota, and what is left of it.
        public internal(set) var quota: DailyAllowance
    }
}
