package import KithModel

/// A mutation, with the record to which it applies.
package struct JudgedMutation: Sendable {
    package let mutation: Mutation
    /// The author of the mutation.
    package let account: AccountID
    /// The record before the mutation; nil if there is none.
    package let old: RecordState?
    /// Whether the mutation creates the record.
    package let isNew: Bool
}
