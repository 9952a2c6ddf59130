/// The rules for edits. They are checked before an edit is written and again before it is merged.
package enum FieldRules {
    /// The rule that forbids `change` to a record of `schema` by someone with these rights; nil if it is allowed.
    ///
    /// Fields that this version does not know are allowed within ``Limits/unknownFields``, because a newer version may
    /// know them (law 12). They may be written by everyone who may write any field of the record.
    package static func fault(
        in change: Mutation.Change, to schema: Schema, creating: Bool, by rights: Rights
    ) -> BrokenRule? {
        switch change {
        case .delete:
            return rights.include(schema.remover)
                ? nil : forbidden("remove this", reservedFor: schema.remover, rights)
        case .edit(let set, let add):
            if creating && !rights.include(schema.creator) {
                return forbidden("add to this", reservedFor: schema.creator, rights)
            }
            if set.isEmpty && add.isEmpty { return BrokenRule(.invalid, "The edit changes nothing.") }
            if creating, let missing = schema.missing(in: set) {
                return BrokenRule(
                    .invalid, field: missing.name,
                    "“\(missing.name)” is missing: there is no such record yet, and a new one needs it.")
            }
            var unknown: [String] = []
            for (name, value) in set.sorted(by: { $0.key < $1.key }) {
                if let field = schema[name] {
                    if !rights.include(field.writer) {
                        return forbidden("change “\(name)”", field: name, reservedFor: field.writer, rights)
                    }
                    if let fault = field.fault(in: value) { return BrokenRule(.invalid, field: name, fault) }
                } else {
                    if let fault = fault(inUnknown: value, of: name, schema, rights) { return fault }
                    unknown.append(name)
                }
            }
            for (name, amount) in add.sorted(by: { $0.key < $1.key }) {
                guard let field = schema[name], case .sum = field.kind else {
                    return BrokenRule(.invalid, field: name, "“\(name)” is not a number that can be added to.")
                }
                if !rights.include(field.writer) {
                    return forbidden("change “\(name)”", field: name, reservedFor: field.writer, rights)
                }
                if !(-Limits.sum...Limits.sum).contains(amount) {
                    return BrokenRule(.invalid, field: name, "“\(name)” grows by too much.")
                }
            }
            if unknown.count > Limits.unknownFields {
                return BrokenRule(
                    .invalid, field: unknown.first, "There are more than \(Limits.unknownFields) unknown fields.")
            }
            return nil
        }
    }

    private static func fault(
        inUnknown value: FieldValue, of name: String, _ schema: Schema, _ rights: Rights
    ) -> BrokenRule? {
        if !schema.fields.contains(where: { rights.include($0.writer) }) {
            return BrokenRule(.forbidden, field: String(name.prefix(40)), "You may not change this.")
        }
        guard (1...Limits.fieldName).contains(name.utf8.count), name.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            return BrokenRule(
                .invalid, field: String(name.prefix(40)),
                "A field's name has 1 to \(Limits.fieldName) ASCII characters, without spaces.")
        }
        let isSmall = value.depth <= Limits.nesting && CanonicalForm.text(value).utf8.count <= Limits.unknownField
        return isSmall
            ? nil : BrokenRule(.invalid, field: name, "“\(name)” is unknown here, and too large to carry.")
    }

    /// The rule that only `writer` may do this. A viewer learns who can change that.
    private static func forbidden(
        _ action: String, field: String? = nil, reservedFor writer: Field.Writer, _ rights: Rights
    ) -> BrokenRule {
        let isViewer = rights.role == .viewer && writer == .editor
        return BrokenRule(
            .forbidden, field: field,
            isViewer
                ? "A viewer may not \(action); the owner can make you an editor." : "You may not \(action).")
    }
}
