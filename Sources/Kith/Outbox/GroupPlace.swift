/// The place of an edit in its group. The server applies the edits of a group together or not at all.
enum GroupPlace: Hashable {
    /// The edit belongs to no group.
    case alone
    /// The edit is the first of its group.
    case first
    /// The edit belongs to the group whose first mutation has this ordinal.
    case after(Int64)

    /// The label of the edit's group: the ordinal of the first mutation; nil if there is none yet.
    var label: Int64? { if case .after(let first) = self { first } else { nil } }

    /// The place of the next edit, if the mutation of this one has `ordinal`.
    func next(after ordinal: Int64) -> GroupPlace { self == .first ? .after(ordinal) : self }
}
