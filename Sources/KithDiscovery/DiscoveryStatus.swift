public import Foundation
public import KithModel

extension Discovery {
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
