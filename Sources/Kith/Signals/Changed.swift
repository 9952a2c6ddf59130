/// The changes of one collection. They can be read when the signal arrives.
public struct Changed<Record: Sendable & Hashable>: Hashable, Sendable {
    /// New records, in their current state.
    public internal(set) var added: [Record]
    /// Removed records, in their last state.
    public internal(set) var removed: [Record]
    /// Modified records, in their current state. A list also counts as modified when one of its items changes.
    public internal(set) var modified: [Record]
    /// The origin of the change.
    public let origin: ChangeOrigin
    /// Whether the content is complete: the account's first round has written everything that the server had.
    ///
    /// This is set once for each account that becomes the current one: in the state if the first round has already
    /// finished, otherwise in a separate signal after everything that the round wrote. Later signals are changes.
    /// Without a server it is never set.
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

    /// The signal after the first round has written everything.
    static var populated: Self { Changed(origin: .server, isPopulated: true) }

    /// Whether nothing has changed.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && modified.isEmpty }

    /// Adds a record to `added`, `removed` or `modified`, given its states before and after. Returns whether they
    /// differ.
    @discardableResult
    package mutating func add(_ before: Record?, _ after: Record?) -> Bool {
        switch (before, after) {
        case (nil, let after?): added.append(after)
        case (let before?, nil): removed.append(before)
        case (let before?, let after?) where before != after: modified.append(after)
        default: return false
        }
        return true
    }
}
