import KithCards

extension Card.Phone {
    var labelForPeople: String {
        if let label = Labels.forPeople(label) { return label }
        let features = Labels.features.filter { self.features.contains($0.feature) }.map(\.word)
        let words = Labels.words(contexts) + features + typesForPeople
        return words.isEmpty ? "phone" : words.joined(separator: " ")
    }
}

extension Card.Email {
    var labelForPeople: String {
        Labels.forPeople(label) ?? typesForPeople.first ?? Labels.words(contexts).first ?? "email"
    }
}

/// The labels of numbers and addresses.
private enum Labels {
    static let features: [(feature: Card.Phone.Feature, word: String)] = [
        (.mobile, "mobile"), (.mainNumber, "main"), (.fax, "fax"), (.pager, "pager"), (.textphone, "textphone"),
    ]

    static func words(_ contexts: Set<Card.Context>) -> [String] {
        (contexts.contains(.private) ? ["home"] : []) + (contexts.contains(.work) ? ["work"] : [])
    }

    /// A label to show. Apple's predefined labels are stored as `_$!<Mobile>!$_` and shown as `mobile`.
    static func forPeople(_ label: String?) -> String? {
        guard let label, !label.isEmpty else { return nil }
        guard label.hasPrefix("_$!<"), label.hasSuffix(">!$_") else { return label }
        return label.dropFirst(4).dropLast(4).lowercased()
    }
}
