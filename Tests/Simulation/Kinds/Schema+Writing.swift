import KithModel

extension Field {
    /// Whether people can write any text to this field.
    var isFreeText: Bool { if case .text = kind { writer != .server } else { false } }
}

extension Schema {
    /// The fields that support additions.
    var sums: [Field] { fields.filter { if case .sum = $0.kind { true } else { false } } }
}
