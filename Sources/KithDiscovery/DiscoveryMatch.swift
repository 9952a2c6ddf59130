public import Foundation
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

    /// The progress of a look: how many of the new numbers and emails the server has evaluated.
    public struct Progress: Hashable, Sendable {
        /// How many of them are evaluated.
        public let done: Int
        /// The number of new phone numbers and emails.
        public let total: Int
    }

    /// The state of discovery for the current account.
    public struct Status: Hashable, Sendable {
        /// Whether `KithClient.run()` looks automatically.
        public internal(set) var isEnabled = false
        /// Whether each look connects with everybody it finds.
        public internal(set) var connectsAutomatically = false
        /// The time of the last look through the whole address book; nil if there was none.
        public internal(set) var lastLooked: Date?
        /// The number of phone numbers and emails with a stored result.
        public internal(set) var identities = 0
        /// The number of those that use the service.
        public internal(set) var matches = 0
        /// The daily quota when the server was last asked.
        public internal(set) var quota: DailyAllowance?
        /// The time of the next attempt after a failure; nil if the last look did not fail.
        public internal(set) var retryAt: Date?
    }
}
