import KithModel

/// What the outbox has to know about a collection to fold its edits without changing their results.
package struct FoldingRules: Sendable {
    /// Whether edits of different records of the collection have the same results in any order. An edit then also folds
    /// if other records of the collection were edited in between.
    package let isOrderFree: Bool
    /// The fields that the server may refuse for a reason that no device knows, for example because somebody else has
    /// the value. They fold only with each other, so that a refusal affects no other field.
    package let contested: Set<String>

    package init(isOrderFree: Bool = false, contested: Set<String> = []) {
        self.isOrderFree = isOrderFree
        self.contested = contested
    }

    /// Whether two changes of a record may become one, as far as their fields are concerned. A condition stays apart, because
    /// it is about the record after the earlier edits; and no two edits become one that looks like a condition.
    func allow(_ earlier: Mutation.Change, with change: Mutation.Change) -> Bool {
        guard earlier.followed(by: change).statedSums.isEmpty else { return false }
        let touched = Set(earlier.touched + change.touched)
        return touched.isDisjoint(with: contested) || touched.isSubset(of: contested)
    }
}
