extension Discovery {
    /// The progress of a look: how many of the new numbers and emails the server has evaluated.
    public struct Progress: Hashable, Sendable {
        /// How many of them are evaluated.
        public let done: Int
        /// The number of new phone numbers and emails.
        public let total: Int
    }
}
