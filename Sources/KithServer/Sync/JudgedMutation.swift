package import KithModel

/// A mutation and the state that it finds.
package struct JudgedMutation: Sendable {
    package let mutation: Mutation
    /// The author of the mutation.
    package let account: AccountID
    /// The record before the mutation; nil if there is none.
    package let old: RecordState?
    /// Whether the mutation creates the record.
    package let isNew: Bool
}
