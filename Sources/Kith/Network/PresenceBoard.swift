package import KithModel

/// How the people of a network are just now, as far as the live stream has told.
///
/// It is in memory and goes with the stream: whoever does not listen does not know. A person who is told of before
/// their contact has come is kept, and is there when it comes.
package struct PresenceBoard: Sendable {
    /// The device whose stream it is.
    package private(set) var device: DeviceID?
    /// Those who were told of; nil until it is known who is there.
    private var people: [AccountID: Presence]?

    package init() {}

    /// How someone is; nil if that is not known.
    package func presence(of account: AccountID) -> Presence? {
        people.map { $0[account] ?? Presence(.offline) }
    }

    /// Those who are not offline.
    package var present: [AccountID: Presence] { (people ?? [:]).filter { $0.value.state != .offline } }

    /// A stream begins; what the last one told is forgotten.
    package mutating func begin(_ device: DeviceID) {
        self.device = device
        people = nil
    }

    /// Applies what the stream of `device` tells.
    ///
    /// - Returns: Those who are otherwise than they were shown. That someone is now known to be offline, where nothing
    ///   was known before, is no news.
    package mutating func apply(_ event: PresenceEvent, from device: DeviceID) -> Set<AccountID> {
        // What is not about all says nothing as long as nothing is known.
        guard device == self.device, event.isWhole || people != nil else { return [] }
        let before = people ?? [:]
        var after = event.isWhole ? [:] : before
        for person in event.people { after[person.account] = person.presence }
        people = after
        return Self.differing(before, after)
    }

    /// The stream of `device` has ended: nothing is known any more.
    ///
    /// - Returns: Those who were shown as something else than offline.
    package mutating func end(_ device: DeviceID) -> Set<AccountID> {
        guard device == self.device else { return [] }
        defer { (self.device, people) = (nil, nil) }
        return Set(present.keys)
    }

    private static func differing(
        _ before: [AccountID: Presence], _ after: [AccountID: Presence]
    ) -> Set<AccountID> {
        let ids = Set(before.keys).union(after.keys)
        return ids.filter { before[$0] ?? Presence(.offline) != after[$0] ?? Presence(.offline) }
    }
}

/// What this device is to be shown as, and what the server was told of it.
struct OwnPresence: Sendable {
    /// What the app wants. It lasts as long as the client.
    var wanted = Presence.State.online
    /// What the open stream was told; nil if there is none.
    var told: Presence.State?
}
