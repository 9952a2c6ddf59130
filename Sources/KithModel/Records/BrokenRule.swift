/// A violation of a rule: its code, the field and a description.
package struct BrokenRule: Hashable, Sendable {
    /// The code, for programs.
    package let code: RejectionCode
    /// The field that violates the rule; nil if it is the whole record.
    package let field: String?
    /// The description, for people.
    package let sentence: String
    /// The time from which the edit is allowed; nil if waiting does not help.
    package let notBefore: Timestamp?

    package init(_ code: RejectionCode, field: String? = nil, _ sentence: String, notBefore: Timestamp? = nil) {
        (self.code, self.field, self.sentence, self.notBefore) = (code, field, sentence, notBefore)
    }
}
