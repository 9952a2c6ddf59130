/// The event `presence` of `GET /v1/live`: the current presence of these people.
///
/// The first event after `hello` starts a complete report. Together with the events that follow at once, it lists
/// everyone who is not offline. Everyone else is offline, or does not show me their presence.
package struct PresenceEvent: Hashable, Sendable, Codable {
    /// The presence of one person.
    package struct Person: Hashable, Sendable, Codable {
        /// The person's account.
        package var account: AccountID
        /// Their presence; nil if I may not see it any more.
        package var presence: Presence?

        /// Creates a person with this presence.
        package init(account: AccountID, presence: Presence?) {
            self.account = account
            self.presence = presence
        }
    }

    /// Whether the event starts a complete report. If so, everything reported before is invalid.
    package var isWhole: Bool
    /// The people in this event.
    package var people: [Person]

    /// Creates an event about these people.
    package init(isWhole: Bool, people: [Person]) {
        self.isWhole = isWhole
        self.people = people
    }
}
