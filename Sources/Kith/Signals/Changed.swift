package import KithModel

/// Where a change came from.
public enum ChangeOrigin: String, Hashable, Sendable {
    /// It is no change, but what was there when one began to listen.
    case state
    /// This device.
    case device
    /// The server: another device, or another person.
    case server
}

/// What has changed in one collection, after it can be read.
public struct Changed<Record: Sendable & Hashable>: Hashable, Sendable {
    /// The new ones, as they are now.
    public internal(set) var added: [Record]
    /// As they were before they were removed.
    public internal(set) var removed: [Record]
    /// As they are now. A list also counts as modified when one of its items changes.
    public internal(set) var modified: [Record]
    /// Where the change came from.
    public let origin: ChangeOrigin
    /// Whether what is told has been filled: the first round of the account has written everything that the server had.
    ///
    /// A listener hears it once for each account that becomes the current one: in the state, if that round is over;
    /// else in a signal of its own, after all that it wrote. What follows are changes. Without a server it never comes.
    public let isPopulated: Bool

    package init(
        added: [Record] = [], removed: [Record] = [], modified: [Record] = [], origin: ChangeOrigin,
        isPopulated: Bool = false
    ) {
        self.added = added
        self.removed = removed
        self.modified = modified
        self.origin = origin
        self.isPopulated = isPopulated
    }

    /// The signal that the first round has written everything.
    static var populated: Self { Changed(origin: .server, isPopulated: true) }

    /// Whether nothing has changed.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && modified.isEmpty }

    /// Sorts a record in by how it was and how it is; says whether there was a difference.
    @discardableResult
    package mutating func note(_ before: Record?, _ after: Record?) -> Bool {
        switch (before, after) {
        case (nil, let after?): added.append(after)
        case (let before?, nil): removed.append(before)
        case (let before?, let after?) where before != after: modified.append(after)
        default: return false
        }
        return true
    }
}

/// A change on its way to those who listen.
package enum Announcement: Hashable, Sendable {
    case lists(Changed<SharedList>)
    case items(Changed<ListItem>)
    case members(Changed<Member>)
    case contacts(ContactDifferences)
    /// The first round of the account has written everything.
    case populated

    package var isEmpty: Bool {
        switch self {
        case .lists(let changed): changed.isEmpty
        case .items(let changed): changed.isEmpty
        case .members(let changed): changed.isEmpty
        case .contacts(let differences): differences.all.isEmpty
        case .populated: false
        }
    }
}
