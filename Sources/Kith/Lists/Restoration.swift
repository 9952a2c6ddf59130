public import KithModel

/// The records that an undo has restored, in their current state.
public struct Restoration: Sendable {
    /// The restored lists.
    public let lists: [SharedList]
    /// The restored items.
    public let items: [ListItem]
}
