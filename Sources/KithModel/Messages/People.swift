/// A person's profile, as far as I may see it: `GET /v1/accounts/{account}`.
package struct ShownProfile: Hashable, Sendable, Codable {
    /// The person's account.
    package var account: AccountID
    /// The fields of their ``Profile`` that I may see. They may come from another version, so some may be unknown.
    package var fields: Fields
    /// Whether the account is a program.
    package var isBot: Bool
    /// Identifies the state of the details, like the contact's `detailsTag`; nil if there are none.
    package var detailsTag: String?

    /// Creates an answer with these properties.
    package init(account: AccountID, fields: Fields, isBot: Bool, detailsTag: String?) {
        self.account = account
        self.fields = fields
        self.isBot = isBot
        self.detailsTag = detailsTag
    }
}

/// The result of a directory search: `GET /v1/directory?name=…`.
package struct DirectoryAnswer: Hashable, Sendable, Codable {
    /// The matching people, at most ``Limits/directory``, ordered by name.
    package var people: [ShownProfile]
    /// Whether there are more matches; nil if not.
    package var more: Bool?

    /// Creates an answer with these people.
    package init(people: [ShownProfile], more: Bool? = nil) {
        self.people = people
        self.more = more
    }
}

/// A person's present availability. It is sent over the live stream, and never stored in a feed.
public struct Presence: Hashable, Sendable, Codable {
    /// The degrees of availability.
    public enum State: String, CaseIterable, Hashable, Sendable, Codable, ChoiceCodable {
        /// The person has the app open.
        case online
        /// The person has the app open but is not there.
        case away
        /// The person does not want to be disturbed.
        case busy
        /// The person is not there. Someone who is invisible or has blocked me looks the same.
        case offline
        /// The person is online but is shown as ``offline``. Only used for my own state.
        case invisible
    }

    /// The person's availability.
    public var state: State
    /// The time when they were last online, in the server's time; nil if they hide it or are online.
    public var lastSeen: Timestamp?

    /// Creates a presence with these properties.
    public init(_ state: State, lastSeen: Timestamp? = nil) {
        self.state = state
        self.lastSeen = lastSeen
    }
}

/// The presence that a device requests for its account while its live stream is open: `PUT /v1/presence?device=…`.
package struct PresenceRequest: Hashable, Sendable, Codable {
    /// Any state except `offline`: a device that is offline has no live stream.
    package var state: Presence.State

    /// Creates a request for this state.
    package init(state: Presence.State) {
        self.state = state
    }
}

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
