import KithModel

/// A visible change of the replica, made by any process.
package struct ObservedChange: Hashable, Sendable {
    /// The kind of change.
    package enum Kind: Hashable, Sendable {
        /// A change of records.
        case change(Announcement)
        /// Another store became the current one. Its content follows as changes with the origin `state`.
        case switched(from: AccountScope, to: AccountScope)
    }

    package let kind: Kind
    /// Whether another process made the change. In that case its original source is not known.
    package let isFromElsewhere: Bool

    /// The change of records; nil if it is something else.
    package var announcement: Announcement? { if case .change(let announcement) = kind { announcement } else { nil } }
}
