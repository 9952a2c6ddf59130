public import Foundation
public import Kith
public import KithModel

extension Discovery {
    /// A number or an email that is on the service, and whose it is there.
    public typealias Match = Kith.Match

    /// What came of a look through the address book.
    public struct Summary: Hashable, Sendable {
        /// How many numbers and emails were looked for.
        public internal(set) var identities = 0
        /// How many of them were new, and so asked of the server: they count for the day.
        public internal(set) var evaluated = 0
        /// Who is on the service, by number and email, sorted.
        public internal(set) var matches: [Match] = []
        /// Who has come since the look before.
        public internal(set) var added: [Match] = []
        /// Who is gone since.
        public internal(set) var removed: [Match] = []
        /// What is left of the day.
        public internal(set) var quota: DailyAllowance
    }

    /// How far a look is: how many of how many new numbers and emails the server has evaluated.
    public struct Progress: Hashable, Sendable {
        /// How many are done.
        public let done: Int
        /// How many there are.
        public let total: Int
    }

    /// How discovery stands for the current account.
    public struct Status: Hashable, Sendable {
        /// Whether ``KithClient/run()`` looks by itself.
        public internal(set) var isEnabled = false
        /// Whether whoever is found is connected with by itself.
        public internal(set) var connectsAutomatically = false
        /// When the whole address book was last looked through; nil for never.
        public internal(set) var lastLooked: Date?
        /// How many numbers and emails are known to be on the service or not.
        public internal(set) var identities = 0
        /// How many of them are.
        public internal(set) var matches = 0
        /// What was left of the day when the server was last asked.
        public internal(set) var quota: DailyAllowance?
        /// When it is tried again after a failure; nil if the last look did not fail.
        public internal(set) var retryAt: Date?
    }
}
