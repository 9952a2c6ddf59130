package import KithModel

/// The presence of the people of a network, as the live stream reports it.
///
/// It is held in memory and cleared when the stream ends, so presence is unknown without a stream. A report about
/// someone whose contact has not arrived yet is stored until the contact arrives.
package struct PresenceBoard: Sendable {
    /// The device that the stream belongs to.
    package private(set) var device: DeviceID?
    /// The reported people; nil until the first complete report.
    private var people: [AccountID: Presence]?

    package init() {}

    /// The presence of an account; nil if it is not known.
    package func presence(of account: AccountID) -> Presence? {
        people.map { $0[account] ?? Presence(.offline) }
    }

    /// The accounts that are not offline.
    package var present: [AccountID: Presence] { (people ?? [:]).filter { $0.value.state != .offline } }

    /// Begins a stream, and clears the reports of the last one.
    package mutating func begin(_ device: DeviceID) {
        self.device = device
        people = nil
    }

    /// Applies a report from the stream of `device`.
    ///
    /// - Returns: The accounts whose visible presence changes. A change from unknown to offline does not count.
    package mutating func apply(_ event: PresenceEvent, from device: DeviceID) -> Set<AccountID> {
        // A report about some people is only valid after a complete one.
        guard device == self.device, event.isWhole || people != nil else { return [] }
        let before = people ?? [:]
        var after = event.isWhole ? [:] : before
        for person in event.people { after[person.account] = person.presence }
        people = after
        return Self.differing(before, after)
    }

    /// Clears the reports after the stream of `device` has ended.
    ///
    /// - Returns: The accounts that were online, away or busy.
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
