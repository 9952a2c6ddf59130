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

extension BrokenRule {
    /// The reason why one of these fields of `thing` cannot change; nil if none of them does.
    static func fault(ofChanging names: [String], of thing: String, in fields: Fields, before: Fields) -> BrokenRule? {
        guard let name = fields.firstChange(of: names, since: before) else { return nil }
        return BrokenRule(.invalid, field: name, "“\(name)” of \(thing) cannot change. Make a new one.")
    }
}

extension Fields {
    /// The first of these fields that has another value than before; nil if there is none. A missing field is null.
    func firstChange(of names: [String], since before: Fields) -> String? {
        names.first { (self[$0] ?? .null) != (before[$0] ?? .null) }
    }
}
