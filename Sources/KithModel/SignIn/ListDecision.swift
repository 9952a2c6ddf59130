/// What happens to a list when its owner's account is deleted. The owner decides.
public enum ListDecision: Hashable, Sendable {
    /// The person with this account becomes the owner.
    case handOver(to: AccountID)
    /// The person who has been an editor for the longest becomes the owner.
    case handOverToEditor
    /// The list is deleted for everybody.
    case delete
}
