/// An event of `GET /v1/live`, `presence`: the present state of these people. The first one after `hello` is whole.
/// Together with the events that follow at once, it lists everyone who is not offline. Everyone else is offline, or
/// does not show me their presence.
package struct PresenceEvent: Hashable, Sendable, Codable {
    /// The presence of one person.
    package struct Person: Hashable, Sendable, Codable {
        /// The person's account.
        package var account: AccountID
        /// Their presence; nil if I may no longer see it.
        package var presence: Presence?

        /// Creates a person with this presence.
        package init(account: AccountID, presence: Presence?) {
            self.account = account
            self.presence = presence
        }
    }

    /// Whether the event starts a complete report: everything reported before is deleted.
    package var isWhole: Bool
    /// The people whose presence has changed.
    package var people: [Person]

    /// Creates an event about these people.
    package init(isWhole: Bool, people: [Person]) {
        self.isWhole = isWhole
        self.people = people
    }
}
