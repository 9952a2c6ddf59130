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

/// The presence that a device requests for its account while its live stream is open: `PUT /v1/presence?device=…`.
package struct PresenceRequest: Hashable, Sendable, Codable {
    /// Any state except `offline`: a device that is offline has no live stream.
    package var state: Presence.State

    /// Creates a request for this state.
    package init(state: Presence.State) {
        self.state = state
    }
}
