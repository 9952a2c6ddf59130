/// What I may see of someone: `GET /v1/accounts/{account}`.
package struct ShownProfile: Hashable, Sendable, Codable {
    /// Whose it is.
    package var account: AccountID
    /// The fields of their ``Profile`` that I may see; of another version perhaps, so that some may be unknown.
    package var fields: Fields
    /// Whether the account is a program's.
    package var isBot: Bool
    /// Tells one state of the details from another, as the contact's `detailsTag` does; nil if there are none.
    package var detailsTag: String?

    /// An answer with these properties.
    package init(account: AccountID, fields: Fields, isBot: Bool, detailsTag: String?) {
        self.account = account
        self.fields = fields
        self.isBot = isBot
        self.detailsTag = detailsTag
    }
}

/// Whom a search of the directory found: `GET /v1/directory?name=…`.
package struct DirectoryAnswer: Hashable, Sendable, Codable {
    /// Those who match, at most ``Limits/directory``, in the order of their names.
    package var people: [ShownProfile]
    /// Whether more match than are named; nil where they do not.
    package var more: Bool?

    /// An answer with these people.
    package init(people: [ShownProfile], more: Bool? = nil) {
        self.people = people
        self.more = more
    }
}

/// What someone does at their device just now. It travels over the live stream, and is never kept in a feed.
public struct Presence: Hashable, Sendable, Codable {
    /// How available someone is.
    public enum State: String, CaseIterable, Hashable, Sendable, Codable, ChoiceCodable {
        /// Has the app open.
        case online
        /// Has it open, but is not there.
        case away
        /// Does not want to be disturbed.
        case busy
        /// Is not there. Someone who is invisible, or has blocked me, looks the same.
        case offline
        /// Is online, and shown as ``offline``. Only said of oneself.
        case invisible
    }

    /// How available they are.
    public var state: State
    /// When they were last online, in the server's time; nil if they hide it, or are online.
    public var lastSeen: Timestamp?

    /// A presence with these properties.
    public init(_ state: State, lastSeen: Timestamp? = nil) {
        self.state = state
        self.lastSeen = lastSeen
    }
}

/// What a device wants its account to be shown as, as long as its live stream is open: `PUT /v1/presence?device=…`.
package struct PresenceRequest: Hashable, Sendable, Codable {
    /// Anything but `offline`: who is not there has no live stream.
    package var state: Presence.State

    /// A request to be shown so.
    package init(state: Presence.State) {
        self.state = state
    }
}

/// An event of `GET /v1/live`, `presence`: how these people are now. The first after `hello` is whole, and with those
/// that follow at once names all who are not offline; whoever is not named is offline, or does not let me know.
package struct PresenceEvent: Hashable, Sendable, Codable {
    /// One person's.
    package struct Person: Hashable, Sendable, Codable {
        /// Who.
        package var account: AccountID
        /// How they are; nil if I may not know any more.
        package var presence: Presence?

        /// A person who is so.
        package init(account: AccountID, presence: Presence?) {
            self.account = account
            self.presence = presence
        }
    }

    /// Whether it names all whose presence is known: what was known before is forgotten.
    package var isWhole: Bool
    /// Whose presence changed.
    package var people: [Person]

    /// An event about these people.
    package init(isWhole: Bool, people: [Person]) {
        self.isWhole = isWhole
        self.people = people
    }
}
